/* More processes than the first pool has room for, each with a channel of its own. */
byte alive;
bool go;

proctype Child(byte number) {
  chan own = [1] of { byte };
  own!number;
  go;
  own?number;
  alive--
}

init {
  byte n;
  do
  :: n < 20 -> n++; alive++; run Child(n)
  :: else -> break
  od;
  go = true
}
