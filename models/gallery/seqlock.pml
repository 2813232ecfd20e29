// with: -D CHECKED=0..1
// expect CHECKED=1: holds safety
// expect CHECKED=0: fails safety, assertion
/* A sequence lock: a writer makes the counter odd, writes, and makes it even again. A reader never waits for a lock: it reads again
 * if the counter was odd or has changed.
 *
 * What a reader keeps is what one writer wrote (`a == b`). With `-D CHECKED=0` the reader only looks whether the counter is even at the
 * beginning, and sees half of a write.
 */
#ifndef CHECKED
#define CHECKED 1
#endif
#define WRITES 2

byte sequence, a, b;

active proctype Writer()
{
	byte n;

	do
	:: n < WRITES ->
	   n++;
	   sequence++;
	   a = n;
	   b = n;
	   sequence++
	:: else -> break
	od
}

active [2] proctype Reader()
{
	byte before, x, y;

again:	before = sequence;
	if
	:: before % 2 == 1 -> goto again
	:: else
	fi;
	x = a;
	y = b;
#if CHECKED
	if
	:: sequence != before -> goto again
	:: else
	fi;
#endif
	assert(x == y)
}
