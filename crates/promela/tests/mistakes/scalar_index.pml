// expect: error P0431
// expect: error P0427
// says: `a` is not an array
// says: `a` is not a structure
byte a;
active proctype P() { a[1] = 1; a.x = 2 }
