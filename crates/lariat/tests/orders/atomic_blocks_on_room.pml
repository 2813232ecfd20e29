// expect: fails safety, assertion
/* A sequence goes on or not as there is room: its receiver must not always be the first. */
chan q = [1] of { byte };
byte x;
active proctype A() { q!1; atomic { x = 1; q!2; x = 2 } }
active proctype B() { byte y; q?y; q?y; assert(y == 2) }
active proctype C() { assert(x != 1) }
