// expect: holds safety
// expect: states 14
// expect: transitions 17
bool go; byte x;
active proctype P() provided (go) { x = 1; x = 2 }
active proctype Q() { go = true; go = false; go = true }
