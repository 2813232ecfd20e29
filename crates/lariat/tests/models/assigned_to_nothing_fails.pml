// expect: fails safety
// expect: states 5
// expect: transitions 4
// What is assigned to nothing is computed.
byte a[2];
init { byte i = 5; _ = a[1]; _ = a[i]; i = 1 }
