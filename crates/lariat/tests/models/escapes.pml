// expect: holds safety
// expect: states 52
// expect: transitions 79
byte x; bool b, c;
active proctype P() { { { x = 1; atomic { x = 2; x = 3 } } unless { b -> x = 7 } } unless { c -> x = 8; x = 9 } }
active proctype Q() { if :: b = true :: c = true fi; b = true; c = true }
