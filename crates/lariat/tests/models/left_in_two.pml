// expect: fails safety, invalid_end, trace = 3
// expect: states 4
// expect: unreached none
// with: --empty-channels
/* Messages are left in two channels at the end. */
chan q = [2] of { byte };
chan r[2] = [1] of { byte, bit };
active proctype P() { q!1; r[1]!2,1 }
