// expect: holds safety
// expect: states 7
// expect: transitions 7
byte x;
active proctype P() { d_step { x == 2 -> x = 3; x = 4 } }
active proctype Q() { x = 1; x = 2 }
