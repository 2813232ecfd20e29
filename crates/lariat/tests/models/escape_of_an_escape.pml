// expect: holds safety
// expect: states 27
// expect: transitions 34
/* An `unless` inside an escape says nothing as long as the escape has not begun. */
byte x;
active proctype P() { { x = 1; x = 2 } unless { { x == 3; x = 4 } unless { x == 5; x = 6 } } }
active proctype Q() { x = 3; x = 5 }
