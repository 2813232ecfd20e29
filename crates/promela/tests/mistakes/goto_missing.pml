// expect: error P0444
// says: no label `lop`
// says: did you mean `loop`?
active proctype Q() { loop: skip; goto lop }
