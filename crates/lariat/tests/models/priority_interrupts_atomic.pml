// expect: holds safety
// expect: states 8
// expect: transitions 7
/* A process of higher priority interrupts an atomic sequence. */
byte x, y; active proctype P() priority 1 { atomic { x = 1; x = 2; x = 3; y = x } } active proctype Q() priority 2 { x == 2 -> x = 9; x = 10 }
