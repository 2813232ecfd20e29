// expect: fails safety, assertion
/* A channel gets a second sender when a process is created that knows it. */
chan q = [2] of { byte };
chan p = [2] of { byte };
proctype S(chan c; byte x) { c!x }
init { byte y; run S(q, 1); y = 2; run S(q, y); q?y; assert(y == 1) }
active proctype R() { byte z; p?z }
