// expect: holds safety
// expect: states 19
// expect: transitions 22
/* A d_step is one step: inside of it, who moved last is who moved before it. */
bit g;
active proctype A() { d_step { skip; if :: _last == 1 -> g = 1 :: else fi }; skip }
active proctype B() { skip }
