// expect: holds safety
// expect: fails never_apart, cycle
// expect: fails only_b_first, cycle
// expect: fails stays, cycle
/* What a formula speaks of keeps its order, also where the steps do not disturb each other. */
byte a, b;
active proctype A() { byte x; x = 1; a = x; a == 1 }
active proctype B() { byte y; y = 1; b = y }
ltl never_apart { [] (a == b) }
ltl only_b_first { (a == 0) U (b == 1) }
ltl stays { <> [] (a + b == 1) || [] ! (a == 1 && b == 0) }
