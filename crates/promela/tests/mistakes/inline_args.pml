// expect: error P0105
// says: inline `f` takes 2 arguments, not 1
// says: not 3
// says: not 0
byte x;
inline f(a, b) { a = b }
init { f(x); f(x, 1, 2); f() }
