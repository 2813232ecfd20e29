// expect: error P0447
// expect: error P0448
// says: `q` is a channel, not a number
// says: `len(q)`
// says: only a channel can be assigned
chan q = [2] of { byte };
byte x;
active proctype P() { x = q + 1; x = q; q = 3; if :: q > 2 -> skip :: else fi }
