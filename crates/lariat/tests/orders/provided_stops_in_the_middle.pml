// expect: fails safety, invalid_end
/* Private steps are stopped by a `provided` clause. */
byte g;
active proctype A() provided (g == 0) { byte x; x = 1; x = x + 2; x = x + 3; assert(x == 6) }
active proctype B() { g = 1 }
