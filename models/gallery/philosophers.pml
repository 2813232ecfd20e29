// with: -D N=3..4 -D ORDERED=0..1
// expect ORDERED=0: fails safety, invalid_end
// expect ORDERED=1: holds safety
/* Dining philosophers. Each takes the left fork, then the right one: if all do so at once, nobody ever eats.
 *
 * With `-D ORDERED=1` everybody takes the fork with the smaller number first, so that there is no circle of people who wait for each
 * other. That nobody starves is another question: `lariat check philosophers.pml -D ORDERED=1 --ltl '[]<> Philosopher[1]@eats'` fails, and
 * holds with `--fairness strong`.
 */
#ifndef N
#define N 3
#endif
#ifndef ORDERED
#define ORDERED 0
#endif

bool taken[N];

active [N] proctype Philosopher()
{
	byte first = _pid, second = (_pid + 1) % N;

#if ORDERED
	d_step {
		if
		:: first > second -> first = second; second = _pid
		:: else
		fi
	}
#endif
	do
	:: atomic { !taken[first] -> taken[first] = true };
	   atomic { !taken[second] -> taken[second] = true };
eats:	   taken[second] = false;
	   taken[first] = false
	od
}
