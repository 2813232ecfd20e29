// expect: error P0100
// says: `proctype` does not belong here
proctype P() {
  byte x;
  proctype Q() { skip }
  x = 1
}
init { run P() }
