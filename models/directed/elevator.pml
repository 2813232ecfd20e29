/* Two elevators in a house of F floors. Each goes up to the top and down to the ground, opens its door on top if it was called there,
   and goes on. Is a call from the top floor always answered by the first one? No: the second may come first, every time. Under weak
   fairness both keep going, so the loop of a counterexample takes both of them up and down the house: a long loop, which a
   search that takes the first lasso it meets makes longer still. */
// with: --fairness=weak -D F=2..3
// expect: fails first_answers, cycle
// expect: holds answered
#ifndef F
#define F 3
#endif
#define call_here (call && at[_pid] == F - 1)
byte at[2];
bool down[2], open[2], call;

active [2] proctype elevator() {
	do
	:: open[_pid] -> open[_pid] = false
	:: d_step { !open[_pid] && call_here -> open[_pid] = true; call = false }
	:: d_step { !open[_pid] && !call_here && !down[_pid] && at[_pid] < F - 1 -> at[_pid]++ }
	:: d_step { !open[_pid] && !call_here && !down[_pid] && at[_pid] == F - 1 -> down[_pid] = true }
	:: d_step { !open[_pid] && !call_here && down[_pid] && at[_pid] > 0 -> at[_pid]-- }
	:: d_step { !open[_pid] && !call_here && down[_pid] && at[_pid] == 0 -> down[_pid] = false }
	od
}

active proctype people() {
	do
	:: !call -> call = true
	:: true
	od
}

ltl first_answers { [] (call -> <> (open[0] && at[0] == F - 1)) }
ltl answered { [] (call -> <> !call) }
