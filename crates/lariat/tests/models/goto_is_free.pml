// expect: holds safety
// expect: states 11
// expect: transitions 10
/* Jumps cost nothing, except as the guard of an option. */
byte x;
active proctype P() { goto a; b: x = 2; goto c; a: x = 1; goto b; c: do :: x == 2 -> x = 3 :: goto d od; d: skip }
