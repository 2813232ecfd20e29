// expect: holds safety
// expect: states 15
// expect: transitions 18
proctype C(byte k) { assert(k == _pid) }
init { pid p; p = run C(1); assert(p == 1); (_nr_pr == 1); p = run C(1); assert(p == 1) }
