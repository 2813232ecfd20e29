// expect: fails safety, assertion
/* Control goes to a receiver, which waits for a third in its own sequence. */
chan v = [0] of { byte };
chan w = [0] of { byte };
byte x;
active proctype P() { byte y = 2; y = 1; atomic { w?eval(y); x = 3 } }
active proctype M() { atomic { v?1; x = 1; w!1; x = 2 } }
active proctype Q() { v!1 }
active proctype R() { assert(x != 1) }
