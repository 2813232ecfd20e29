// expect: holds safety
// expect: states 13
// expect: transitions 12
/* timeout waits until nothing else in the system can happen. */
byte x, y;
active proctype P() { timeout -> assert(y == 3); x = 1 }
active proctype Q() { do :: y < 3 -> y++ :: x == 1 -> break od }
