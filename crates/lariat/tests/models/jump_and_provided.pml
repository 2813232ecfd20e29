// expect: holds safety
// expect: states 20
// expect: transitions 20
/* A `provided` clause that turns false holds a process at the jump or join that leaves its atomic. */
byte x, g;
active proctype A() provided (g == 0) {
    atomic { x = 1; g = 1; goto L }; x = 9; L: x = 3; atomic { x = 4; if :: g = 1 :: g = 2; g = 0 fi }; x = 5
}
active proctype B() { do :: g == 1 -> x = 7; g = 0 :: g == 2 -> g = 0 :: timeout -> break od }
