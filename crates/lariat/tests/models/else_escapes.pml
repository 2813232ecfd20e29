// expect: holds safety
// expect: states 4
// expect: transitions 3
/* In an escape nothing is offered before `else`: it can always be taken, and the rest never. */
byte x;
active proctype P() { { x = 1; assert(false) } unless { if :: else -> x = 2 fi } }
