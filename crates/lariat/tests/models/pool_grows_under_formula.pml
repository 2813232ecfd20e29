// expect: fails soon, cycle
// expect: fails never_so_many, cycle
/* How many processes there can be the text does not tell: the pool is made larger until it suffices, and what is seen with too
   small a pool is not told. */
byte x;
proctype P() { false }
init { do :: _nr_pr < 40 -> run P() :: x < 6 -> x++ od }
ltl soon { [] (_nr_pr < 4) }
ltl never_so_many { <> (_nr_pr == 77) }
