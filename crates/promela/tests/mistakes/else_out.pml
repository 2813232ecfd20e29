// expect: error P0452
// says: `else` can only be the first statement of an option
byte x;
active proctype P() { else -> x = 1; if :: x > 1 -> else -> skip fi }
