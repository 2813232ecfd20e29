// expect: holds safety
// expect: states 18
// expect: transitions 23
chan q = [2] of { byte, bool };
byte a; bool b;
active proctype S() { q!300, 5; q!2, false; q!3, true }
active proctype R() { assert(len(q) <= 2); q?a, b; assert(a == 44 && b == 1); q?a, b; q?3, b; assert(empty(q)) }
