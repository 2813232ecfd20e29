// expect: fails safety, assertion
/* Who asks how many messages there are sees each send and each receive. */
chan q = [2] of { byte };
active proctype A() { q!1; q!2 }
active proctype B() { byte x; q?x; q?x; assert(x == 2) }
active proctype C() { assert(len(q) != 2) }
