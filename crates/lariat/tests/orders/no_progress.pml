// expect: holds safety
// expect: fails np_, cycle
// with: --property=np_
/* A stands still while B goes round: the only cycle without progress. */
active proctype A() { byte x; do :: x = 1 - x; progress: x = 1 - x od }
active proctype B() { byte y; do :: y = 1 - y od }
