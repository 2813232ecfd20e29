// expect: holds safety
// expect: states 2
// expect: transitions 1
// with: --allow-deadlock
byte x;
active proctype P() { x = 1; x == 2; x = 3 }
