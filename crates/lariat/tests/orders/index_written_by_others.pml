// expect: fails safety, assertion
/* Which cell is written depends on another variable. */
byte a[2], i;
active proctype A() { byte x; x = 1; i = x }
active proctype B() { a[i] = 1 }
active proctype C() { assert(a[1] == 0) }
