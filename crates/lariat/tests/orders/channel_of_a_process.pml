// expect: fails safety
/* A channel lives with its process. */
chan c = [1] of { chan };
proctype A() { chan own = [1] of { byte }; byte x; c!own; x = 1; own?x; assert(x == 3) }
init { chan o; byte y; run A(); c?o; y = 2; o!y }
