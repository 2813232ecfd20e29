// expect: holds safety
// expect: states 23
// expect: transitions 28
/* A jump into the middle of another atomic keeps control, also to its last statement; a jump to its label does not. */
byte x, y;
active proctype A() { atomic { x = 1; goto M }; atomic { skip; M: assert(x == 1); x = 2; goto N };
    atomic { skip; N: assert(x == 2) }; atomic { x = 3; goto O }; O: atomic { y = x; x = 4 } }
active proctype B() { x = 5 }
