// expect: fails safety, index, trace = 1
// expect: states 4
// expect: transitions 3
byte a[3]; byte i = 3; byte after;
active proctype P() { a[i] = 1; after = 4 }
