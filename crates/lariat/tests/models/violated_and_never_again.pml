// expect: fails p
/* After the violation no state comes again in less than four thousand million steps. */
int x;
active proctype P() { do :: x++ od }
ltl p { [] (x < 5) }
