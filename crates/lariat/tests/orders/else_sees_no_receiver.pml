// expect: fails safety, assertion
/* `else` beside a rendezvous is taken only where the receiver has not come yet. */
chan v = [0] of { byte };
active proctype A() { if :: v!1 :: else -> assert(false) fi }
active proctype B() { byte x = 2; x = 1; v?eval(x) }
