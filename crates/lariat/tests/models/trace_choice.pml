// expect: fails safety, event_trace, trace = 2
// expect: states 14
// expect: transitions 14
/* A trace that branches; a run may end where it has an end label. */
chan q=[2] of {byte}; chan r=[1] of {byte};
trace { q!1; if :: r!2 :: r!3 fi; end: q?1  }
active proctype A(){ q!1; if :: r!2 :: r!3 :: r!4 fi } active proctype B(){ byte x; r?x; q?x; }
