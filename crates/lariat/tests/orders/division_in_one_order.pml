// expect: fails safety, division
/* A divisor is 0 in one order only. */
byte g = 1;
active proctype A() { byte x = 3; x = 0; g = x }
active proctype B() { byte y = 4; y = 5; y = y / g; assert(y < 6) }
