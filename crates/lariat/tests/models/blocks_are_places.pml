// expect: holds safety
// expect: states 9
// expect: transitions 8
/* The door of a block and the loop right behind it are two places. */
byte x;
active proctype P() { do :: x < 2 -> { do :: x == 0 -> x = 0; x++ :: x == 1 -> x++; break od } :: else -> break od }
