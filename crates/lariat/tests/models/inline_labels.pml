// expect: holds safety
// expect: states 13
// expect: transitions 12
/* Every call of an inline has its own labels; of several of one name a jump leads to the nearest. */
byte x;
inline f(a, b) { a = b + 1; if :: a > 2 -> goto L :: else fi; a++; L: skip }
active proctype P() { f(x, 1); f(x, 3); byte y; f(y, x) }
