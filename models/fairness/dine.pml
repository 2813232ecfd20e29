/* Dining philosophers who all take the fork on their left first (DINE of Kesten, Pnueli, Raviv and Shahar, 2006). Whoever is
   hungry is to eat some time. That fails, be they as fair as they like: when each has one fork nobody can move, and a
   philosopher who is never able to move is treated fairly. The loop of the counterexample is that one state.

   The number of philosophers is N: try -D N=5, and compare --engine scc with --engine symbolic. */
// with: --fairness=strong
// expect: fails safety, invalid_end
// expect: fails accessible, cycle
#ifndef N
#define N 3
#endif
bool taken[N];

active [N] proctype Philosopher() {
	byte first = _pid, second = (_pid + 1) % N;
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
