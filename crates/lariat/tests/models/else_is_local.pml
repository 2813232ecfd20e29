// expect: holds safety
// expect: states 15
// expect: transitions 18
byte x; chan q = [1] of { byte };
active proctype P() { byte v; if :: q?v -> x = 1 :: x == 9 -> x = 2 :: else -> x = 3 fi }
active proctype Q() { q!5 }
