// expect: holds safety
// expect: states 5
// expect: transitions 4
/* In a `d_step` a select takes the lowest value, whichever way SPIN reads it. */
byte x, y;
active proctype P() { d_step { y = 1; select(x : 1 .. (1 + 1)) }; assert(x == 1); d_step { y = 2; select(x : 0 .. 2); y = x } }
