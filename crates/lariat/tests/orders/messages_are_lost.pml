// expect: fails safety, invalid_end
// with: --lose-messages
/* A message is lost if the receiver was slow: the receiver must not always be the first. */
chan q = [1] of { byte };
active proctype A() { q!1; q!2 }
active proctype C() { byte x; q?x; q?x; assert(x == 2) }
