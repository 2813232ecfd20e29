// expect: error P0108
// says: `string` is neither a type nor a statement
// says: the types are bit, bool
// says: `uint8` is neither
active proctype P() { string s; uint8 x; x = 1 }
