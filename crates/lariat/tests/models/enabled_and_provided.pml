// expect: holds safety
// expect: states 8
// expect: transitions 7
/* `enabled` looks at the next statements of a process alone: not at its `provided` clause, not at its priority. */
byte g;
active proctype A() priority 1 provided (g == 5) { g = 4 }
active proctype B() priority 3 { assert(enabled(0)); g = 5; assert(enabled(0)); end: g == 4; assert(!enabled(0)) }
