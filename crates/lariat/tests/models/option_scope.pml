// expect: holds safety
// expect: states 7
// expect: transitions 6
/* An option has no braces of its own: what it declares can be used in later options and behind. */
byte x;
active proctype P() { if :: x == 0 -> byte t; t = 1; x = t :: else -> t = 2; x = t fi; x = t }
