// expect: error P0100
// says: a formula stands in braces: `ltl p { ... }`
byte x;
active proctype P() { x = 1 }
ltl p [] (x < 2)
