// expect: holds safety
// expect: states 19
// expect: transitions 18
/* A higher priority interrupts an atomic at each of its jumps. */
byte x, y;
active proctype A() priority 2 { atomic { x = 1; y = 1; goto L }; x = 9; L: x = 2;
    atomic { do :: y == 2 -> y = 3; break od }; atomic { if :: y = 5 :: x = 3 fi; x = 4 } }
active proctype B() priority 5 { y == 1; assert(x == 1 && !(A[0]@L)); y = 2; y == 3; y = 4; end: y == 5; x = 6; y = 6 }
