// expect: fails safety, invalid_end, trace = 3
// expect: states 9
// expect: transitions 10
/* Who asks whether a process can move that waits for a timeout gets its answer when the timeout comes. */
active proctype P() { enabled(1) }
init { skip; timeout }
