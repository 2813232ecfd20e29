// expect: fails safety, assertion
/* The same with other words. */
chan q = [1] of { byte };
byte n;
active proctype A() { q!1 }
active proctype B() { byte x; q?x; assert(x == 1) }
active proctype C() { if :: full(q) -> n++ :: empty(q) fi; if :: nempty(q) :: nfull(q) -> n++ fi; assert(n != 2) }
