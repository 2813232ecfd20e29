// expect: fails safety, assertion
/* A poll is no receive. */
chan q = [2] of { byte };
active proctype A() { q!1; q!2 }
active proctype B() { byte x; q?x; q?x; assert(x == 2) }
active proctype C() { assert(!q?[2]) }
