// expect: fails safety, assertion
/* V is number 1 if W ended before. */
proctype W() { byte x; x = 1; x = x + 1; assert(x == 2) }
proctype V() { assert(_pid != 1) }
init { run W(); run V() }
