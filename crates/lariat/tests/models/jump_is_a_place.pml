// expect: fails safety, invalid_end, trace = 9
// expect: states 17
// expect: transitions 21
/* The receiver has taken control: the sender still stands at the jump that leaves its atomic. */
chan q = [0] of { byte }; byte x;
active proctype A() { L: atomic { x < 3; x++; q!x; goto L } }
active proctype B() { byte y; do :: q?y; y = 0 od }
