// A d_step has one line each time it is taken, also inside an atomic and where an assertion in it fails.
// trail: 1:0:0 2:0:8 3:0:0 4:0:8 5:0:9 6:0:17
byte n, m;

active proctype Counter() {
    atomic {
        do
        :: n < 2 -> d_step { n++; if :: n == 1 -> m = 5 :: else -> m = m + n fi }
        :: else -> break
        od
    };
    d_step { n = 0; assert(m == 5) }
}
