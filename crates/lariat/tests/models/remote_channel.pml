// expect: holds safety
// expect: states 3
// expect: transitions 2
/* A channel of another process. */
proctype W(){ chan c=[1] of {byte}; end: false } init { run W(); assert(W[1]:c != 0) }
