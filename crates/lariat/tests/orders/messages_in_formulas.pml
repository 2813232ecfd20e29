// expect: holds safety
// expect: fails never_two, cycle
// expect: fails one, cycle
/* What is in a channel is seen by a formula. */
chan q = [2] of { byte };
active proctype A() { q!1; q!2 }
active proctype B() { byte x; q?x; q?x; assert(x == 2) }
ltl never_two { [] (len(q) < 2) }
ltl one { [] (nempty(q) -> q?[1]) }
