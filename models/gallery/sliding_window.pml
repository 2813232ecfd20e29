// with: -D M=2..3
// expect M=2: fails safety, assertion
// expect M=3: holds safety
/* A sliding window of two messages over a channel that loses some, with cumulative acknowledgements.
 *
 * Numbers are modulo M. With M larger than the window the receiver never takes an old message for a new one; with `-D M=2` it
 * does, and the assertion fails: the classic argument why the numbers must be more than the window is wide.
 */
#ifndef M
#define M 3
#endif
#define WINDOW 2
#define VALUES 4

chan data = [2] of { byte, byte };
chan acks = [2] of { byte };
byte base, sent, expected;    /* of the sender: oldest without an answer, next to be sent; of the receiver */

active proctype Sender()
{
	byte n;

end:	do
	:: sent < base + WINDOW && sent < VALUES && nfull(data) -> data!sent % M, sent; sent++
	:: sent > base && nfull(data) -> data!base % M, base             /* once more, after some time */
	:: acks?n ->
	   do
	   :: base < sent && base % M != n -> base++
	   :: else -> break
	   od
	od
}

active proctype Receiver()
{
	byte n, value;

end:	do
	:: atomic { data?n, value ->
	   if
	   :: n == expected % M -> assert(value == expected); expected++
	   :: else
	   fi };
	   if
	   :: nfull(acks) -> acks!expected % M
	   :: full(acks) -> skip
	   fi
	od
}

active proctype Loss()
{
end:	do
	:: data?_, _
	:: acks?_
	od
}
