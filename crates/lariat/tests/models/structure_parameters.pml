// expect: holds safety
// expect: states 133
// expect: transitions 208
// A structure that is passed is a copy of all its fields.
typedef Inner { byte a; short b };
typedef T { byte x; Inner in; bit f };
byte r;
chan q = [1] of { T };
proctype P(byte k; T t; int z) {
  byte w = t.in.b;
  T own;
  assert(w == 3 && own.x == 0);
  assert(t.x == 1);
  assert(t.in.a == 2);
  assert(t.in.b == 3 && t.f);
  assert(z == 5 && k == 4);
  t.x = 9;
  t.in.a++;
  r = t.x;
  q!t
}
proctype R(T s; pid p) {
  if
  :: s.x == p -> skip
  :: else -> r++
  fi
}
init {
  T v;
  v.x = 1;
  v.in.a = 2;
  v.in.b = 3;
  v.f = 1;
  run P(4, v, 5);
  run R(v, 7);
  q?v;
  assert(v.x == 9 && v.in.a == 3);
  run R(v, 9)
}
