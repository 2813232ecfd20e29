// expect: fails safety, division, trace = 1
// expect: states 1
// expect: transitions 0
/* What is computed when a process is created can fail. */
proctype P(byte d){ byte y = 10/d; skip } init { run P(0) }
