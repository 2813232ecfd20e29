// expect: fails safety, assertion
/* Whoever is created later disturbs too. */
byte g;
init { byte x = 3; x = 1; run W(x) }
proctype W(byte x) { byte y; y = x; g = y }
active proctype A() { byte y; y = 1; assert(g < y) }
