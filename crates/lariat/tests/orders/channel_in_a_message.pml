// expect: fails safety, assertion
/* Which channel a process sends to is told it by another. */
chan c = [1] of { chan };
chan q = [2] of { byte };
active proctype A() { chan x; c?x; x!1 }
active proctype B() { q!2 }
init { byte y; c!q; q?y; assert(y == 2) }
