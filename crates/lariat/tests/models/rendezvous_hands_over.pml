// expect: holds safety
// expect: states 18
// expect: transitions 29
/* After a handshake in an atomic the receiver goes on; the sender has lost control. */
chan c = [0] of { byte };
byte x;
active proctype S() { atomic { x = 1; c!0; x = 2; x = 3 } }
active proctype R() { byte v; atomic { c?v; x = 11; x = 12 }; assert(x == 12 || x == 3) }
active proctype O() { assert(x != 1 && x != 11 && x != 2) }
