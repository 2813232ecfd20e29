// expect: holds safety
// expect: states 17
// expect: transitions 25
/* Inside atomic and d_step nothing is stored. */
byte x, y;
active proctype P() { atomic { x = 1; x = 2; x = 3 }; d_step { y = 1; y = y + x }; assert(y == 4) }
active proctype Q() { assert(x == 0 || x == 3); assert(y == 0 || y == 4) }
