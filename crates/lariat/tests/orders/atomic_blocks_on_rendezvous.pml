// expect: fails safety, assertion
/* A sequence waits in the middle for a receiver: that one must not always be there before. */
chan v = [0] of { byte };
byte x;
active proctype Q() { atomic { x = 1; v!1; x = 2 } }
active proctype P() { byte y = 2; y = 1; atomic { v?eval(y); x = 3 } }
active proctype R() { assert(x != 1) }
