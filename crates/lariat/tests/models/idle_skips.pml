// expect: holds safety
// expect: states 9
// expect: transitions 8
/* Of several statements in a row that do nothing, SPIN drops some in options, but not the last one, and none elsewhere. */
byte x;
active proctype P() { if :: skip; skip; true; printf("a"); (1); x = 1; skip; skip fi; skip; skip }
