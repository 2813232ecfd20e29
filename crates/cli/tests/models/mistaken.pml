byte counter;
active proctype P() {
  conter = 1;
  counter = 2
}
