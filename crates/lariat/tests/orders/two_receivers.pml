// expect: fails safety, assertion
/* Who of two receivers gets which message. */
chan q = [2] of { byte };
byte x, y;
active proctype A() { q!1; q!2 }
active proctype B() { byte z; q?z; x = z }
active proctype C() { byte z; q?z; y = z; x > 0; assert(x == 1) }
