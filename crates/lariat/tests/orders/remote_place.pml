// expect: fails safety, assertion
/* A place is read from afar. */
active proctype A() { byte x; x = 1; M: x = 2; x = 3; assert(x == 3) }
active proctype B() { byte y; y = 2; A@M; assert(y == 1) }
