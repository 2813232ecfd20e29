// expect: fails accept, cycle
// expect: holds np_
// with: --property=accept --property=np_
/* A label in front of an option's first statement belongs to where the option is offered. */
byte x;
active proctype P() { do :: accept_here: x = 1 :: progress_here: x = 0 od }
