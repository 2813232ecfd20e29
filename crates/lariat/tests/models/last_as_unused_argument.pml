// expect: holds safety
// expect: states 10
/* Who moved last is part of the state, though the inline does not ask. */
bit g;
inline ignore(argument) { skip }
init { g = run R(); skip }
proctype R() { ignore(_last) }
