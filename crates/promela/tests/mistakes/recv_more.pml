// expect: error P0453
// says: 3 fields for `q`, whose messages have 2
chan q = [2] of { byte, byte };
active proctype P() { byte a, b, c; q?a,b,c }
