// expect: holds safety
// expect: states 3
// expect: transitions 2
// with: -DN=3
#define TWICE(v) (v + v)
#if defined(N) && N > 2
#define START TWICE(N)
#else
#define START 0
#endif
byte x = START;
active proctype P() { assert(x == 6) }
