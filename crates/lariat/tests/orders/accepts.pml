// expect: holds safety
// expect: fails accept, cycle
// with: --property=accept
/* A cycle through the accepting place of A, with as many steps of B as it likes. */
byte g;
active proctype A() { byte x; do :: g == 0 -> x = 1 - x; accept: x = 1 - x :: g == 1 -> break od }
active proctype B() { byte y; y = 1; y = 2; g = y - 1; assert(y == 2) }
