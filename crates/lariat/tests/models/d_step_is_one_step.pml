// expect: holds safety
// expect: states 7
// expect: transitions 6
/* Once begun, a d_step is not interrupted: by no priority, not by its own `provided` clause, also inside an atomic. */
byte x, g;
active proctype A() priority 2 provided (g != 1) { d_step { x = 1; g = 1; x = 2; g = 0 }; atomic { d_step { x = 1; x = 3 }; x = 4; x = 5 } }
active proctype B() priority 5 { end: x == 1; assert(false) }
active proctype C() priority 4 { x == 3; assert(x == 3) }
