// expect: fails safety, assertion
/* The end of a process is seen by who counts them. */
active proctype A() { byte n; n = 5; n = _nr_pr; assert(n == 2) }
active proctype B() { byte x; x = 1; assert(x == 1) }
