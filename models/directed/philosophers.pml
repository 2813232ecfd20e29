/* Dining philosophers, any number N of them, set the table in one atomic loop: one step of the model, but 3 N actions and some.
   Whenever the first one eats, the second is to eat some time. That fails: the first may eat again and again. A shortest run sets
   the table and then has a loop of three steps; its length in actions grows with N.

   Try -D N=64 with --engine astar, and with --engine external --shortest. */
// with: -D N=4..6
// expect: fails response, cycle
#ifndef N
#define N 4
#endif
bool taken[N];

proctype philosopher() {
	byte left = _pid - 1, right = _pid % N;
	do
	:: atomic { !taken[left] -> taken[left] = true };
	   if
	   :: atomic { !taken[right] -> taken[right] = true };
eat:	      atomic { taken[left] = false; taken[right] = false }
	   :: taken[left] = false
	   fi
	od
}

init {
	byte i;
	atomic {
		do
		:: i < N -> run philosopher(); i++
		:: else -> break
		od
	}
}

ltl response { [] (philosopher[1]@eat -> <> philosopher[2]@eat) }
