// expect: error P0401
// says: no process is ever started
// says: write `active proctype`
byte x;
proctype P() { x = 1 }
