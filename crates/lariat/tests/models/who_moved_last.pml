// expect: holds safety
// expect: states 13
// expect: transitions 22
/* Who moved last is part of the state where it is asked for. */
byte x; active proctype A(){ do :: x=1-x od } active proctype B(){ _last == 0 -> x=0 }
