// expect: error P0430
// says: `a` is an array of 4 and needs an index
// says: write `a[0]` for the first
byte a[4];
active proctype P() { a = 1; assert(a == 1); a[5] = 2; a[-1] = 3 }
