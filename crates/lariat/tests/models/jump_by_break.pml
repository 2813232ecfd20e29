// expect: holds safety
// expect: states 33
// expect: transitions 39
/* Out of a loop that is the last of an atomic: the break and the end of the loop. */
chan q = [0] of { byte }; byte x;
active proctype A() { byte i; atomic { do :: i < 2 -> i++; q!i :: else -> break od }; x = 3;
    atomic { for (i : 0 .. 1) { q!i } }; x = 4 }
active proctype B() { do :: q?_ -> x = 1 :: timeout -> break od }
