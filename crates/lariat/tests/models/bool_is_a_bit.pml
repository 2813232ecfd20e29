// expect: holds safety
// expect: states 10
// expect: transitions 9
/* A `bool` is one bit: only the last bit of a number is kept. */
bool b = 2; chan q = [1] of { bool };
active proctype P() { assert(!b); b = 3; assert(b); b = 2; assert(!b); q!4; q?b; assert(!b) }
