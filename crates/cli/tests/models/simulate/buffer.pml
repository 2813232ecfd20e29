/* A producer sends numbers and a stop mark through a buffer; the consumer adds them up. */
mtype = { data, stop };
chan q = [2] of { mtype, byte };
byte sum;

active proctype Producer() {
  byte n;
  do
  :: n < 3 -> n++; q!data(n)
  :: n == 3 -> break
  od;
  q!stop(0)
}

active proctype Consumer() {
  byte got;
  do
  :: q?data(got) -> sum = sum + got; printf("got %d, sum %d\n", got, sum)
  :: q?stop(_) -> break
  od;
  assert(sum == 6)
}
