// expect: fails safety, channel
// expect: states 12
// expect: transitions 13
/* Too few fields in a send or a receive are errors; the statements happen all the same. */
chan q = [2] of { byte, byte }; byte x, y;
active proctype P() { q!1, 2; q!3; q!4, 5 }
active proctype Q() { q?x; q?x, y; q?x, y; assert(y == 5) }
