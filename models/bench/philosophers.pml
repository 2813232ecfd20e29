// expect: holds safety
// expect: states 79
// expect: transitions 208
/* Philosophers of whom one takes the right fork first, so that nobody starves. For timing: -D N=12. */
#ifndef N
#define N 4
#endif

bool taken[N];

active [N] proctype Philosopher()
{
	byte first = (_pid == N - 1 -> 0 : _pid);
	byte second = (_pid == N - 1 -> _pid : _pid + 1);

	do
	:: atomic { !taken[first] -> taken[first] = true };
	   atomic { !taken[second] -> taken[second] = true };
	   taken[second] = false;
	   taken[first] = false
	od
}
