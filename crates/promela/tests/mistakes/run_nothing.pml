// expect: error P0424
// says: did you mean `Worker`?
// says: `x` is not a proctype
// says: `f` is an inline, not a proctype
byte x;
inline f() { skip }
proctype Worker() { skip }
init { run Wroker(); run x(); run f() }
