// expect: fails safety, assertion
/* A receive from anywhere takes what the one at the head would have got. */
chan q = [3] of { byte };
byte got;
active proctype A() { q!1; q!2; q!3 }
active proctype B() { q??2; got = 1 }
active proctype C() { byte x; q?x; q?x; assert(x == 3 || got == 9) }
