// expect: holds safety
// expect: states 6
// expect: transitions 9
/* An atomic sequence that blocks in the middle lets the others in: six states. */
bit g;
byte y;

active proctype P() { atomic { y = 1; g == 1; y = 2 } }
active proctype Q() { do :: g = 1 - g od }
