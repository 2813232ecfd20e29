// expect: holds safety
// expect: fails never_one, cycle
// expect: fails changes, cycle
// expect: holds stays
/* A loop of private steps beside a step that a formula sees. */
byte g;
active proctype A() { byte x; do :: x = 1 - x od }
active proctype B() { byte y; y = 1; g = y }
ltl never_one { [] (g == 0) }
ltl changes { <> (g == 1) }
ltl stays { [] (g == 1 -> [] (g == 1)) }
