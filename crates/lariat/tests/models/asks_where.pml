// expect: fails safety, invalid_end, trace = 5
// expect: states 17
// expect: transitions 21
/* One process asks where another is, in SPIN's numbers. */
byte x; active proctype A(){ do :: x<3 -> x++ :: pc_value(1)==3 -> break od } active proctype B(){ x==1; x=2; x==5 -> x=7 }
