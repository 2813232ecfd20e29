// expect: holds safety
// expect: fails apart, cycle
/* So are variables of processes. */
active proctype A() { byte x; x = 1; x = 2; x = 3; assert(x == 3) }
active proctype B() { byte x; x = 1; x = 2; x = 3; assert(x == 3) }
ltl apart { [] !(A:x == 2 && B:x == 2) }
