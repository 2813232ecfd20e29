/* Dining philosophers, one of whom is contrary: he takes the fork on his right first, so that they cannot all hold one and
   wait for another. Whoever is hungry eats some time, if every philosopher who can move time and again also does.

   Try --fairness none and --fairness weak: then a neighbour may be quicker each time. */
// expect: holds safety
// expect: states 33969
// expect: holds fed
// with: --fairness=strong
#ifndef N
#define N 6
#endif
bool taken[N];

active [N] proctype Philosopher() {
	byte first = _pid, second = (_pid + 1) % N;
	if
	:: _pid == 0 -> first = 1; second = 0
	:: else
	fi;
	do
	:: printf("philosopher %d thinks\n", _pid);
hungry:    atomic { !taken[first] -> taken[first] = true };
	   atomic { !taken[second] -> taken[second] = true };
eating:    taken[first] = false;
	   taken[second] = false
	od
}

ltl fed { [] (Philosopher[1]@hungry -> <> Philosopher[1]@eating) }
