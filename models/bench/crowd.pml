// expect: holds safety
// expect: states 51
// expect: transitions 135
/* Many processes: N of them, of which at most K are inside a room at a time.

   For timing: -D N=40. */

#ifndef N
#define N 5
#endif
#define K (2 + N / 20)

byte inside;

active [N] proctype Guest()
{
	do
	:: atomic { inside < K -> inside++ };
	   assert(inside <= K);
	   inside--
	od
}
