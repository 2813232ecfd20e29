// expect: fails p
/* Outside of its array nothing can be read, and what is read there decides nothing. */
byte a[3], i;
active proctype P() { do :: i < 6 -> i++ :: i = 0 od }
ltl p { [] (a[i] == 0) }
