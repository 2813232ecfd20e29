// expect: holds safety
/* So does an `end` label: waiting there is no deadlock. */
byte x;
chan q = [1] of { byte };
active proctype P() { do :: end: { q?x; skip } od }
