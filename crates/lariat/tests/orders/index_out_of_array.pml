// expect: fails safety, index
/* An index is wrong in one order only. */
byte a[2], i;
active proctype A() { byte x; x = 2; i = x }
active proctype B() { byte y; y = 1; a[i] = y }
