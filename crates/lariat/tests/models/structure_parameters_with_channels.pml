// expect: holds safety
// expect: states 9
// expect: transitions 10
// The parameter makes no channels of its own: it holds those of what was passed.
typedef T { byte x; chan c = [1] of { byte } };
byte r;
proctype P(T t) { t.c!7 }
init { T v; run P(v); v.c?r; assert(r == 7) }
