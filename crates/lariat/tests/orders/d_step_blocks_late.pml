// expect: fails safety, blocked_d_step
/* A `d_step` blocks in the middle in one order only. */
byte g, x;
active proctype A() { byte own; own = 1; g = own }
active proctype B() { d_step { x = 1; g == 0; x = 2 } }
