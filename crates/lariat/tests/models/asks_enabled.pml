// expect: fails safety, invalid_end, trace = 3
// expect: states 17
// expect: transitions 17
/* One process asks whether another could move. */
byte x; active proctype A(){ x=1; if :: enabled(1) -> x=5 :: !enabled(1) -> x=6 fi } active proctype B(){ x==1; x=2; x==5 -> x=7 }
