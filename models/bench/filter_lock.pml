// expect: holds safety
// expect: states 29876
// expect: transitions 83610
/* Peterson's filter lock: N processes pass through N - 1 levels, of which each keeps one back. For timing: -D N=4. */
#ifndef N
#define N 3
#endif

byte level[N];
byte last[N];
byte inside;

active [N] proctype Process()
{
	byte here, other;

	do
	:: here = 1;
	   do
	   :: here < N ->
		level[_pid] = here;
		last[here] = _pid;
		other = 0;
		do
		:: other < N && (other == _pid || level[other] < here || last[here] != _pid) -> other++
		:: other == N -> break
		od;
		here++
	   :: else -> break
	   od;
	   inside++;
	   assert(inside == 1);
	   inside--;
	   level[_pid] = 0
	od
}
