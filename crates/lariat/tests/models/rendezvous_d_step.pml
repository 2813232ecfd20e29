// expect: fails safety, rendezvous_in_d_step, trace = 2
// expect: states 4
// expect: transitions 3
/* A d_step may begin with a rendezvous receive, and may not contain a send. */
chan c = [0] of { byte };
byte x;
active proctype S() { c!1; d_step { x = 9; c!2 } }
active proctype R() { d_step { c?x; x = x + 4 }; assert(x == 5) }
