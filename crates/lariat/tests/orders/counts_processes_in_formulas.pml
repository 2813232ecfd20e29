// expect: holds safety
// expect: fails two, cycle
/* The end of a process is seen by a formula that counts them. */
byte g;
active proctype A() { byte x; x = 1; g = x }
active proctype B() { byte x; x = 1; assert(x == 1) }
ltl two { [] (g == 1 -> _nr_pr == 2) }
