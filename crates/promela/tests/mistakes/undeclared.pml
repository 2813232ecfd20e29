// expect: error P0429
// says: `conter` is not declared
// says: `coutner` is not declared
// says: did you mean `counter`?
byte counter;
active proctype P() {
  conter = 1;
  counter = coutner + 1
}
