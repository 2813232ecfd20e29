// expect: error P0100
// says: a `}` is missing before this, or `active` does not belong here
byte x;
active proctype P() {
  atomic { x = 1; x = 2
}
active proctype Q() { skip }
