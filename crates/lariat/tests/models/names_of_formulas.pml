// expect: holds early
// expect: fails ltl_0
// expect: holds mid
// expect: holds ltl_1
// with: --property=early --property=ltl_0 --property=mid --property=ltl_1
/* SPIN counts the blocks without a name alone. */
byte x;
active proctype P() { x = 1 }
ltl early { [] (x < 4) }
ltl { <> (x == 3) }
ltl mid { [] (x < 4) }
ltl { <> (x == 1) }
