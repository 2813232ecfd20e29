// expect: holds safety
// expect: states 5
// expect: transitions 4
chan v = [0] of { byte }; byte x;
active proctype P() { if :: full(v) -> assert(false) :: nfull(v) -> x = 2 fi; x = len(v) }
