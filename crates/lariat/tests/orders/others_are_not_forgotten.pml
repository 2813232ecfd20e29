// expect: fails safety, assertion
/* A process that goes round for ever by itself does not keep others from moving. */
active proctype A() { byte x; do :: x = 1 - x od }
active [2] proctype C() { byte x; do :: x == 0 -> x = 1 :: x == 1 -> x = 2 :: else -> x = 0 od }
active proctype B() { byte y; y = 2; assert(y == 1) }
