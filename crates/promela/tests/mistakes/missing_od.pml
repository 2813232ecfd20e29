// expect: error P0100
// says: an `od` is missing before this
byte x;
active proctype P() {
  do
  :: x < 5 -> x++
  :: else -> break
}
active proctype Q() { skip }
