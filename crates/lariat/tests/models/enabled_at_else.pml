// expect: holds safety
// expect: states 19
// expect: transitions 18
/* A process at an `else` can move, whatever the other options; so it can at the same place inside a d_step or unless. */
byte g;
active proctype A() priority 1 {
    if :: g == 1 :: else fi; g = 3; d_step { if :: g == 4 -> skip :: else -> g = 5 fi }; g == 7; g = 8;
    { do :: g == 10 -> break :: else -> break od } unless { g == 11 }; g = 9
}
active proctype B() priority 2 {
    assert(enabled(0)); g == 3; assert(enabled(0)); g == 5; assert(!enabled(0)); g = 7; g == 8; assert(enabled(0)); g == 9
}
