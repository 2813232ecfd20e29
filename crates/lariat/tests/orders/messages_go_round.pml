// expect: fails safety, assertion
/* Two processes pass a message on for ever: the others are not forgotten. */
chan q = [1] of { byte };
chan r = [1] of { byte };
byte g;
active proctype A() { byte x; q!1; do :: r?x; q!x od }
active proctype B() { byte x; do :: q?x; r!x od }
active proctype C() { g = 1; assert(false) }
active proctype D() { g == 2 }
