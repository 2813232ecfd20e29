// expect: holds safety
// expect: states 19
// expect: transitions 20
// SPIN refuses arrays in parameters. The cells of each arrive where they were.
typedef Inner { byte a; byte b[2] };
typedef T { byte x; Inner in[2]; short y[2] };
byte r;
proctype P(byte k; T t; int z) {
  byte i = 1;
  byte w = t.in[i].b[i];
  short v[2] = t.y[1];
  assert(w == 3 && v[0] == 9 && v[1] == 9);
  assert(t.x == 1 && t.in[0].a == 0 && t.in[1].a == 2 && t.in[0].b[1] == 4 && t.in[1].b[0] == 0);
  assert(t.y[0] == 7 && t.y[1] == 9 && z == 5 && k == 4);
  t.in[1].b[1] = 8;
  r = 1
}
init {
  T v[2];
  v[1].x = 1;
  v[1].in[1].a = 2;
  v[1].in[1].b[1] = 3;
  v[1].in[0].b[1] = 4;
  v[1].y[0] = 7;
  v[1].y[1] = 9;
  run P(4, v[1], 5);
  r == 1;
  assert(v[1].in[1].b[1] == 3)
}
