// expect: fails safety, event_trace, trace = 3
// expect: states 12
// expect: transitions 14
/* An order of messages that must not occur. */
chan q=[2] of {byte}; chan r=[1] of {byte};
notrace { q!1; r!2; q?1  }
active proctype A(){ q!1; r!2; q!1 } active proctype B(){ byte x; q?x; r?x; q?x }
