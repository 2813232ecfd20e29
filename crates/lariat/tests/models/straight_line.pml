// expect: holds safety
// expect: states 6
// expect: transitions 5
/* Each statement is a step, and so is the death of the process. */
byte x;
active proctype P() { x = 7; x = 8; skip; printf("x is %d\n", x) }
