// expect: fails safety, invalid_end, trace = 4
// expect: states 118
// expect: transitions 340
/* Philosophers who all take the left fork first: they starve together. */
#define N 4

bool taken[N];

active [N] proctype Philosopher()
{
	byte left = _pid;
	byte right = (_pid + 1) % N;

	do
	:: atomic { !taken[left] -> taken[left] = true };
	   atomic { !taken[right] -> taken[right] = true };
	   /* eats */
	   taken[right] = false;
	   taken[left] = false
	od
}
