// expect: fails safety, division, trace = 1
// expect: states 1
// expect: transitions 0
byte d; byte x;
active proctype P() { x = 6 / d }
