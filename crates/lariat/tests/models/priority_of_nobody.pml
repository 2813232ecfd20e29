// expect: holds safety
// expect: states 4
/* Where there is no such process nothing is set, and nothing is wrong. */
byte x;
active proctype P() { set_priority(7, x); x = 1 }
