// expect: error P0416
// expect: error P0445
// says: `a` is declared twice
// says: `P` is declared twice
// says: `b` is declared twice
// says: two labels `L`
byte a; int a;
proctype P() { skip }
proctype P() { skip }
active proctype Q() { byte b; byte b; L: b = 1; L: b = 2; goto L }
