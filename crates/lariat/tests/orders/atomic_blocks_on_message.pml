// expect: fails safety, assertion
/* The same for a receiver in the middle of a sequence and its only sender. */
chan q = [2] of { byte };
byte x;
active proctype A() { q!1; q!2 }
active proctype B() { byte y; atomic { q?y; x = 1; q?y; x = 2 } }
active proctype C() { assert(x != 1) }
