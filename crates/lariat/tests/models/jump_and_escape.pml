// expect: fails safety, assertion, trace = 1
// expect: states 6
// expect: transitions 5
/* An escape looks at a jump that leaves an atomic; at a join it does not. */
byte x;
active proctype A() { atomic { { x = 1; goto L } unless { x == 1; assert(false) } }; L: skip;
    atomic { { if :: x = 2 fi } unless { x == 2; x = 5 } }; assert(x == 2) }
