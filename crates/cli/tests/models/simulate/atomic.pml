/* The assertion fails whenever the second process comes first. */
byte x;

active proctype Left() {
  atomic { x = 1; x = 2; x = 3 }
}

active proctype Right() {
  assert(x == 3)
}
