// expect: fails safety
// expect: states 4
// expect: transitions 3
// What a type begins with does not matter for parameters, which are 0.
typedef T { byte x = 3; byte y };
byte r;
active proctype P(T t; byte z) { r = t.x; assert(t.x == 3) }
