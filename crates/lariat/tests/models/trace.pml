// expect: fails safety, event_trace, trace = 2
// expect: states 9
// expect: transitions 9
/* The order of sends and receives on q is watched. */
chan q=[2] of {byte};
trace { end: do :: q!1; q?1 od }
active proctype A(){ q!1; q!1 } active proctype B(){ byte x; q?x; q?x }
