// expect: fails safety, index, trace = 1
// expect: states 4
// expect: transitions 3
/* A guard with a bad index is an error even if another option is taken. */
byte a[3]; byte i = 3; byte x;
active proctype P() { if :: a[i] == 1 -> x = 1 :: x == 0 -> x = 2 fi }
