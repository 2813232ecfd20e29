// expect: fails safety, endless_atomic, trace = 1
// expect: states 1
// expect: transitions 0
/* An atomic sequence that never ends is an error. */
bit b;
active proctype P() { atomic { b = 1; do :: b = 1 - b od } }
