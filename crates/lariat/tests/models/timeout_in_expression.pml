// expect: holds safety
// expect: states 8
// expect: transitions 7
byte x;
active proctype P() { do :: x < 2 && !timeout -> x++ :: timeout && x == 2 -> break od; assert(x == 2) }
