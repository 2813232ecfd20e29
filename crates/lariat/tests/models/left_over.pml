// expect: fails safety, invalid_end, trace = 2
// expect: states 3
// expect: transitions 2
// with: --empty-channels
/* A message is left in the channel at the end. */
chan q = [2] of { byte };
active proctype P() { q!1 }
