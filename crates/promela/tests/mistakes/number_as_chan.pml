// expect: error P0433
// says: `x` is not a channel
byte x;
active proctype P() { x!1; x?1; len(x) > 1 }
