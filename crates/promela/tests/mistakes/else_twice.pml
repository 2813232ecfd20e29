// expect: error P0451
// says: there is an `else` in this choice already
byte x;
active proctype P() { if :: else -> x = 1 :: else -> x = 2 fi }
