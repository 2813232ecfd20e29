// expect: error P0431
// expect: error P0427
// says: `a` is no array
// says: `a` is no structure
byte a;
active proctype P() { a[1] = 1; a.x = 2 }
