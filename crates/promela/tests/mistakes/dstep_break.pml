// expect: error P0446
// says: `break` cannot leave a `d_step`
byte x;
active proctype P() { do :: d_step { x++; break } od }
