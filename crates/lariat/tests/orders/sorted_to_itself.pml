// expect: fails safety, assertion
/* The same, by sends that are none to the end of the channel. */
chan q = [1] of { byte };
byte g;
active proctype A() { byte x; q!!1; do :: q?x; q!!x od }
active proctype C() { g = 1; assert(false) }
active proctype D() { g == 2 }
