// expect: fails safety, assertion
/* A variable is read from afar. */
active proctype A() { byte x; x = 1; x = 2; x = 3; assert(x == 3) }
active proctype B() { byte y; y = 2; assert(A:x != y) }
