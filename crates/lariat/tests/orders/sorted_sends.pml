// expect: fails safety, assertion
/* Sorted sends are no sends to the end, and nobody is their only sender. */
chan q = [3] of { byte };
active proctype A() { q!!2 }
active proctype B() { q!!1 }
active proctype C() { byte x; q?x; assert(x == 1) }
