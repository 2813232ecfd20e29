// expect: fails never, cycle
// with: --property=never
/* The label of a block at the front of an option belongs to where the option is offered, in claims too. */
byte n;
active proctype S() { do :: n = 1 - n od }
never { do :: accept: { n == 0; n == 1 } od }
