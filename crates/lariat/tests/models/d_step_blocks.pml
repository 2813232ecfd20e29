// expect: fails safety, blocked_d_step, trace = 1
// expect: states 1
// expect: transitions 0
/* Inside d_step only the first statement may wait. */
byte x;
active proctype P() { d_step { x == 0 -> x = 1; x == 2 } }
