// expect: holds safety
// expect: states 1
/* A label at the front of an option stands where the option is offered. */
chan q = [0] of { byte };
active proctype P() { do :: end: q?_ od }
