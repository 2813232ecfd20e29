// expect: holds safety
// expect: states 25
// expect: transitions 31
/* A d_step as the last of an atomic, behind a join; and one behind which the atomic is left by a jump. */
chan q = [0] of { byte }; byte x;
active proctype A() { atomic { if :: q!1 :: x == 9 fi; d_step { x = 3; x = 4 } }; x = 5; atomic { q!2; d_step { x = 6; x = 7 }; goto L }; L: x = 8 }
active proctype B() { q?_; x = 1; q?_; x = 2 }
