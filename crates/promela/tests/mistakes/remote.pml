// expect: error P0424
// expect: error P0426
// expect: error P0417
// says: there is no proctype `Q`
// says: `P` has no variable `y`
// says: `P` has no label `M`
byte x;
proctype P() { L: skip }
init { P@M; P@L; Q@L; P[1]:y == 1 }
