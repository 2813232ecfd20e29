// expect: error P0100
// says: a `fi` is missing before this
byte x;
active proctype P() {
  if
  :: x == 0 -> x = 1
  :: else -> skip
  x = 2
}
active proctype Q() { skip }
