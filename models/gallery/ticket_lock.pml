// with: --fairness weak -D ATOMIC=0..1
// expect ATOMIC=1: holds safety
// expect ATOMIC=1: holds enters
// expect ATOMIC=0: fails safety, assertion
/* A ticket lock: take a number, wait until it is called. First come, first served.
 *
 * To take a number is one fetch-and-add. With `-D ATOMIC=0` it is a load and a store, as `ticket++` in a program without atomics: two
 * threads get the same number. Counters go round, which is fine as long as there are more numbers than threads: try
 * `NUMBERS 2` with three threads.
 */
#ifndef ATOMIC
#define ATOMIC 1
#endif
#define THREADS 3
#define NUMBERS 4

byte next_ticket, serving, inside;

active [THREADS] proctype Thread()
{
	byte mine;

	do
	::
#if ATOMIC
	   d_step { mine = next_ticket; next_ticket = (next_ticket + 1) % NUMBERS };
#else
	   mine = next_ticket;
	   next_ticket = (mine + 1) % NUMBERS;
#endif
waits:	   serving == mine;
	   inside++;
	   assert(inside == 1);
	   inside--;
	   serving = (serving + 1) % NUMBERS;
	   mine = 0
	od
}

ltl enters { [] (Thread[0]@waits -> <> !Thread[0]@waits) }
