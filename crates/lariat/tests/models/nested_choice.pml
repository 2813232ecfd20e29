// expect: holds safety
// expect: states 14
// expect: transitions 13
byte x;
active proctype P() { if :: if :: x = 1 :: x = 2 fi; x = x + 10 :: x == 0 -> do :: x < 2 -> x++ :: x == 2 -> break od fi }
