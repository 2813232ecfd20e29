// expect: fails safety, assertion
/* `_last` is written by every step. */
active proctype A() { byte x; x = 1; x = x + 1 }
active proctype B() { assert(_last != 0) }
