// expect: fails safety, assertion, trace = 2
// expect: states 4
// expect: transitions 3
/* A process that may move only when nobody else can. */
byte x; active proctype A() provided (timeout) { x = 1; assert(false) }
