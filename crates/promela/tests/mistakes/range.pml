// expect: error P0100
// says: expected an expression, found `)`
// says: a loop over numbers is written `for (i : 0 .. 9)
// says: expected `..` between the bounds of a range
init { byte i; for (i : 0..) { skip } for (i = 0..3) { skip } select (i : 1, 2) }
