// expect: error P0412
// says: an unsigned has 1 to 31 bits, not 40
// says: write `unsigned v : 4`
// says: only an `unsigned` has a width
unsigned u : 40; unsigned v; byte w : 3;
init { u = 1 }
