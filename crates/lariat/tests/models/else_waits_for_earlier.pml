// expect: holds safety
// expect: states 37
// expect: transitions 47
/* `else` is the last option of its own `if`, and waits only for what is offered before it: not for `x == 1`. */
byte x;
active proctype P() { if :: if :: else -> x = 5 :: x == 3 -> x = 4 fi :: x == 1 -> x = 2 fi }
active proctype Q() { x = 1; x = 3; x = 7 }
