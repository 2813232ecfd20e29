// expect: fails safety, assertion
/* A process goes round with a message to itself: the others are not forgotten. */
chan q = [1] of { byte };
byte g;
active proctype A() { byte x; q!1; do :: q?x; q!x od }
active proctype C() { g = 1; assert(false) }
active proctype D() { g == 2 }
