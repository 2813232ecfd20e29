// expect: fails safety, assertion
/* Only one order leads to a state in which nothing but `timeout` can happen. */
byte g;
active proctype A() { byte x; x = 1; g == 0; g = 2 }
active proctype B() { byte y; y = 2; g == 0; g = 1; g == 0 }
active proctype T() { timeout -> assert(g != 1) }
