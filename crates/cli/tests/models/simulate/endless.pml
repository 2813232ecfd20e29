/* An atomic sequence that never ends. */
bit flip;

active proctype P() {
  atomic { do :: flip = 1 - flip od }
}
