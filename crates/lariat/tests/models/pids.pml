// expect: holds safety
// expect: states 31
// expect: transitions 64
/* init and active processes are numbered together, in the order of the text. */
active proctype A() { assert(_pid == 0) }
init { assert(_pid == 1) }
active [2] proctype B() { assert(_pid == 2 || _pid == 3) }
