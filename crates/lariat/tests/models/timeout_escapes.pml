// expect: holds safety
// expect: states 5
// expect: transitions 4
/* Where both wait for a timeout the escape comes first. */
byte x;
active proctype P() { { timeout; x = 1; assert(false) } unless { timeout; x = 2 }; assert(x == 2) }
