/* Dining philosophers, the first of whom takes the fork on his right first: now they cannot all wait for each other. Whoever
   is hungry eats some time, if every philosopher who is able to move time and again also does (strong fairness). Under weak
   fairness a neighbour may be quicker each time: try --fairness weak.

   The number of philosophers is N: try -D N=5, and compare --engine scc with --engine symbolic. */
// with: --fairness=strong
// expect: holds safety
// expect: holds accessible
#ifndef N
#define N 3
#endif
bool taken[N];

active [N] proctype Philosopher() {
	byte first = (_pid == 0 -> 1 : _pid), second = (_pid == 0 -> 0 : (_pid + 1) % N);
	do
	:: printf("philosopher %d thinks\n", _pid)
	:: printf("philosopher %d is hungry\n", _pid);
hungry:    atomic { !taken[first] -> taken[first] = true };
	   atomic { !taken[second] -> taken[second] = true };
eats:      taken[first] = false;
	   taken[second] = false
	od
}

ltl accessible { [] (Philosopher[0]@hungry -> <> Philosopher[0]@eats) }
