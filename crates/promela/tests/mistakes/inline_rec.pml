// expect: error P0105
// says: inline `f` calls itself
inline f(x) { g(x) }
inline g(x) { f(x) }
init { f(1) }
