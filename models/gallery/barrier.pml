// with: -D SENSE=0..1
// expect SENSE=1: holds safety
// expect SENSE=0: fails safety
/* A barrier that is used again and again: nobody begins a round before all have finished the one before.
 *
 * The last one to come resets the counter and turns the sense, for which the others wait. With `-D SENSE=0` they wait until the counter is
 * zero instead: a fast thread comes to the next barrier before a slow one has seen the zero, and both wait for ever.
 */
#ifndef SENSE
#define SENSE 1
#endif
#define THREADS 3
#define ROUNDS 2

byte count, done[THREADS];
bit sense;

active [THREADS] proctype Thread()
{
	byte round, other;
	bit mine;

	do
	:: round < ROUNDS ->
	   round++;
	   done[_pid] = round;
	   /* the barrier */
	   mine = 1 - mine;
	   atomic {
		count++;
		if
		:: count == THREADS -> count = 0; sense = mine
		:: else
		fi
	   };
#if SENSE
	   sense == mine;
#else
	   count == 0;
#endif
	   d_step {
		for (other : 0 .. THREADS - 1) {
			assert(done[other] >= round)
		};
		other = 0
	   }
	:: else -> break
	od
}
