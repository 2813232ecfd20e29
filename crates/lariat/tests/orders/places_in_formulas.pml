// expect: holds safety
// expect: fails apart, cycle
// expect: fails order, cycle
/* Where processes stand is seen: their steps are not invisible. */
active proctype A() { byte x; x = 1; M: x = 2; x = 3; assert(x == 3) }
active proctype B() { byte x; x = 1; N: x = 2; x = 3; assert(x == 3) }
ltl apart { [] !(A@M && B@N) }
ltl order { ! B@N U A@M }
