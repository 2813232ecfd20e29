// expect: holds safety
// expect: states 13
// expect: transitions 15
/* In an inline a select always counts up, step by step. */
byte g;
inline f() { select(g : 1 .. 2) }
active proctype P() { g = 5; select(g : 1 .. 2); f(); select(g : 1 .. 2) }
