// expect: fails safety, invalid_end, trace = 2
// expect: states 21
// expect: transitions 26
/* Labels and variables of other processes. */
byte x; active proctype A(){ L: x=1; x=2; end: false } active proctype B(){ A@L -> x=7; A[0]@L == 0; x=8 }
