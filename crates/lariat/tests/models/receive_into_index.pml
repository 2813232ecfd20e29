// expect: holds safety
// expect: states 5
// expect: transitions 4
/* Fields are stored from left to right: the index of the second sees the first. */
chan q = [1] of { byte, byte };
byte i, a[4];
active proctype P() { q!2, 7; q?i, a[i]; assert(a[2] == 7 && a[0] == 0) }
