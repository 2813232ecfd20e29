/* Processes that go through M places for ever, each on its own (CYCLE of Kesten, Pnueli, Raviv and Shahar, 2006). A process may
   stay in its first place; in the others it does not stay, if it is treated with weak fairness. There are M^N states, and
   nothing that one process does matters to another: sets of states are small, and lists of states are not.

   Try -D N=8 with --engine symbolic and with --engine scc. */
// with: --fairness=weak
// expect: states 216
// expect: holds safety
// expect: holds accessible
#ifndef N
#define N 3
#endif
#ifndef M
#define M 6
#endif
byte at[N];

active [N] proctype P() {
	do
	:: at[_pid] == 0			/* stays */
	:: at[_pid] = (at[_pid] + 1) % M
	od
}

ltl accessible { [] (at[0] == 1 -> <> at[0] == M - 1) }
