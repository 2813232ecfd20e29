// expect: fails p
#ifndef N
#define N 3
#endif
/* A is born when all but the last states have been seen: what is learned from those knows nothing of it. */
byte x[3];
bool born;

proctype A() {
here:
	false
}

active [3] proctype Counter() {
	do
	:: x[_pid] < N -> x[_pid]++
	:: else -> break
	od;
	false
}

active proctype Last() {
	x[0] == N && x[1] == N && x[2] == N;
	born = true;
	run A();
	false
}

ltl p { [] ((born && !(A@here)) -> X (!(A@here))) }
