// expect: fails safety, invalid_end, trace = 1
// expect: states 2
// expect: transitions 1
byte x;
active proctype P() { x = 1; x == 2; x = 3 }
active proctype Q() { end: x == 5 }
