// expect: holds safety
// expect: states 8
// expect: transitions 7
/* A variable of another process. */
byte x; active proctype A(){ byte v; L: v=1; v=2; end: false } active proctype B(){ A:v==2 -> x=7; A[0]:v == 2; x=8 }
