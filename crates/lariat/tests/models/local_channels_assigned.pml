// expect: holds safety
// expect: states 207
// expect: transitions 435
chan q = [1] of { byte };
proctype P(byte k) {
  chan c[2] = [1] of { byte };
  byte x;
  c[0]!3;
  c[0] = c[1];
  c[0]!k;
  c[1]?x;
  assert(x == k);
  c[1] = q;
  c[1]!k
}
init { run P(5); run P(6); byte y; q?y; q?y }
