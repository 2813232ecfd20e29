// expect: fails safety, assertion
// expect: fails at_block
// expect: fails at_atomic
// expect: holds at_neither
/* Control rests at the door of a block, and so before the first statement inside: `P@first` holds there. */
byte x;
active proctype P() { x = 1; { first: x = 2; x = 3 }; atomic { second: x = 4; x = 5 } }
active proctype Q() { if :: P[0]@first -> assert(x != 1) :: x == 5 fi }
ltl at_block { [] !P@first }
ltl at_atomic { [] !P@second }
ltl at_neither { [] ((P@first -> x == 1) && (P@second -> x == 3)) }
