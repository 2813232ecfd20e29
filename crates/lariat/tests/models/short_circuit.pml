// expect: holds safety
// expect: states 5
// expect: transitions 4
/* What is not evaluated cannot fail. */
byte a[3]; byte i = 3; byte x;
active proctype P() { if :: i < 3 && a[i] == 1 -> x = 1 :: i >= 3 || a[i] == 0 -> x = 2 fi; assert(x == 2) }
