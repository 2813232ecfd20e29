// expect: fails safety, channel
// expect: states 4
// expect: transitions 3
/* A rendezvous channel has no message that could be copied. */
chan q = [0] of { byte, byte }; byte x, y;
active proctype P() { q!1, 2; q!2, 3 }
active proctype Q() { q?x, y; if :: q?<x, y> -> assert(false) :: x = 4 fi }
