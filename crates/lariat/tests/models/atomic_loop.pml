// expect: holds safety
// expect: states 24
// expect: transitions 29
/* A loop inside atomic keeps control; leaving it by break gives it up. */
byte n, seen;
active proctype P() { atomic { do :: n < 5 -> n++ :: else -> break od }; n = 9 }
active proctype Q() { seen = n; assert(seen == 0 || seen == 5 || seen == 9) }
