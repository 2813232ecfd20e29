// expect: holds safety
// expect: states 34
// expect: transitions 46
/* A remote reference to the label of a jump makes a step of it. Behind it control is given up, unless the jump leads to
 * the middle of the atomic; if the jump is the last of its atomic, control is given up before. */
byte x;
active proctype A() {
    atomic { x = 1; M: goto N; x = 5; N: x = 4; x = 3 }; atomic { x = 1; O: goto P; x = 5; P: x = 4 };
    atomic { x = 1; Q: goto R }; atomic { x = 2; R: x = 3; x = 4 }
}
active proctype B() { do :: A@M -> x = 5 :: A@O -> x = 6 :: A@Q -> x = 7 :: timeout -> break od }
active proctype C() { x = 8 }
