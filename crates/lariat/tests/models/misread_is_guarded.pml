// expect: holds p
/* Where the index lies outside, nothing depends on the reading. */
byte a[3], i;
active proctype P() { do :: i < 6 -> i++ :: i = 0 od }
ltl p { [] (i < 3 -> a[i] == 0) }
