// expect: holds safety
// expect: states 716
// expect: transitions 2201
/* A loop through an escape creates as many processes as it likes. */
byte x,n; proctype Q(){ skip } active proctype P(){ again: { run Q(); x = 1; (false) } unless { x == 1; x = 0; n++; if :: n < 5 -> goto again :: else fi } }
