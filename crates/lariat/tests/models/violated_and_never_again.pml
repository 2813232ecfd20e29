// expect: fails p
/* After the violation no state comes again in less than 65,000 steps. */
short x;
active proctype P() { do :: x++ od }
ltl p { [] (x < 5) }
