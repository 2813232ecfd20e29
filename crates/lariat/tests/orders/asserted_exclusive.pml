// expect: fails safety, assertion
/* What `xs` asserts is not true, and is not trusted. */
chan q = [2] of { byte };
active proctype A() { xs q; q!1 }
active proctype B() { q!2 }
active proctype C() { xr q; byte x; q?x; assert(x == 1) }
