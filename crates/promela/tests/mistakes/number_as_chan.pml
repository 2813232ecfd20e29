// expect: error P0433
// says: `x` is no channel
byte x;
active proctype P() { x!1; x?1; len(x) > 1 }
