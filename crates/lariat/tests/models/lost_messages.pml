// expect: holds safety
// expect: states 6
// expect: transitions 5
// with: --lose-messages
chan q = [1] of { byte }; byte x;
active proctype P() { q!1; q!2; q!3; q?x; assert(x == 1); end: q?x }
