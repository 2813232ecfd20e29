// expect: holds safety
// expect: states 28
// expect: transitions 31
/* The priority of a proctype is that of its active processes. A `run` gives 1 if it says nothing else. */
byte x;
active proctype D() priority 3 { byte own = _priority; assert(own == get_priority(_pid)); x = x + own }
init { x == 3; run D(); run D() priority 7; x == 11 }
