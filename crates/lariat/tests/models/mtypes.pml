// expect: holds safety
// expect: states 5
// expect: transitions 4
mtype = { a, b }; mtype = { c }; mtype:other = { x, y };
mtype m = b;
active proctype P() { assert(a == 2 && b == 1 && c == 3 && x == 2 && y == 1); m = c; assert(m == 3) }
