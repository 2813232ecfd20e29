// expect: holds safety
// expect: states 28019
// expect: transitions 78597
/* Szymanski's lock: processes go into a waiting room through one door, the last one in shuts it, and they leave through the other in
   the order of their numbers. For timing: -D N=4; for a graphics card: -D N=5. */
#ifndef N
#define N 3
#endif

#define OUTSIDE 0
#define ASKS 1
#define WAITS 2
#define ENTERS 3
#define LEAVES 4

byte flag[N];
byte inside;

active [N] proctype Process()
{
	byte other;

	do
	:: flag[_pid] = ASKS;
	   do /* The door in is open. */
	   :: other < N && flag[other] < ENTERS -> other++
	   :: other == N -> break
	   od;
	   flag[_pid] = ENTERS;
	   other = 0;
	   do
	   :: other < N && flag[other] != ASKS -> other++
	   :: other < N && flag[other] == ASKS -> /* One more is at the door: wait for it inside. */
		flag[_pid] = WAITS;
		other = 0;
		do
		:: other < N && flag[other] != LEAVES -> other = (other + 1) % N
		:: other < N && flag[other] == LEAVES -> break
		od;
		break
	   :: other == N -> break
	   od;
	   flag[_pid] = LEAVES;
	   other = 0;
	   do /* Those with smaller numbers go first. */
	   :: other < _pid && flag[other] < WAITS -> other++
	   :: other == _pid -> break
	   od;
	   inside++;
	   assert(inside == 1);
	   inside--;
	   other = _pid + 1;
	   do /* Those with larger numbers know that the door in is shut. */
	   :: other < N && (flag[other] < WAITS || flag[other] > ENTERS) -> other++
	   :: other >= N -> break
	   od;
	   flag[_pid] = OUTSIDE;
	   other = 0
	od
}
