// expect: fails safety, assertion
/* `else` is taken only where the receiver is before the sender. */
chan q = [1] of { byte };
active proctype A() { q!1 }
active proctype B() { byte x; x = 1; if :: q?eval(x) :: else -> assert(false) fi }
