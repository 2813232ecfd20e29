// expect: fails safety, priority, trace = 1
/* A priority is 1 to 255. SPIN reports others at run time too. */
byte x;
active proctype P() { set_priority(_pid, x); x = 1 }
