// expect: fails safety, assertion
/* An escape may come before each step of the rest. */
byte g;
active proctype A() { byte x; { x = 1; x = 2; x = 3 } unless { g == 1 -> assert(x != 2) } }
active proctype B() { g = 1 }
