// expect: holds safety
// expect: states 21
// expect: transitions 25
/* The join in front of the last statement of an atomic, and the join that is the last of one. */
chan q = [0] of { byte }; byte x;
active proctype A() { atomic { if :: q!1 :: x = 4 fi; x = 2 }; atomic { if :: if :: q!2 :: x == 9 fi :: x == 8 fi }; x = 3 }
active proctype B() { do :: q?_ -> x = 7 :: timeout -> break od }
