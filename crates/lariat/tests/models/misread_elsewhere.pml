// expect: holds now
// expect: holds other
// expect: holds later
// expect: fails always
// expect: fails never_read
/* Only where and when a formula depends on it does a reading count: i is 5 at first, and then 0. */
byte a[3], i = 5, x, j;
active proctype P() { i = 0; do :: j = 1 - j od }
ltl now { (x == 1) -> [] (a[i] == 0) }
ltl other { [] (x < 9 || a[i] == 1) }
ltl later { X (a[i] == 0) }
ltl always { [] (a[i] == 0) }
ltl never_read { [] (x / 0 == 0) }
