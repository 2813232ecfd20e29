// expect: holds done
// with: --fairness=weak
/* Each process must be let move, however many there are. */
byte left = 5;
active [5] proctype P() { left-- }
active proctype Idle() { bit b; do :: b = 1 - b od }
ltl done { <> (left == 0) }
