// expect: fails safety, index, trace = 1
// expect: states 3
// expect: transitions 2
/* A bad index of a channel array leads to no channel. */
byte i=2; chan c[2]=[1] of {byte}; chan e=[1] of {byte}; active proctype P() { c[i]!1 }
