// expect: fails safety, assertion
/* `timeout` waits for steps that nobody else sees. */
byte g;
active proctype A() { g == 1 }
active proctype B() { byte x; x = 1; x = x + 1 }
active proctype T() { timeout -> g = 1; assert(false) }
