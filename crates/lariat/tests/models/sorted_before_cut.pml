// expect: holds safety
// expect: states 7
// expect: transitions 6
/* A sorted send compares what is sent, -1, and stores what fits, 255. */
chan q = [2] of { byte }; byte x, y;
active proctype P() { q!!1; q!!x - 1; q?x; q?y; assert(x == 255 && y == 1) }
