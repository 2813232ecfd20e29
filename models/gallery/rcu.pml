// with: -D HASTY=0..1
// expect HASTY=0: holds safety
// expect HASTY=1: fails safety, assertion
/* Read-copy-update: readers take no lock, and who frees an old version waits until no reader can still use it.
 *
 * The writer puts a new version in place of the old one and waits for a grace period: until every reader that was inside has
 * left. `-D HASTY=1` frees at once, and a reader uses freed memory.
 */
#ifndef HASTY
#define HASTY 0
#endif
#define READERS 2

bit current;                  /* which of two versions is the current one */
bool freed[2];
bool inside[READERS];

active [READERS] proctype Reader()
{
	bit version;

end:	do
	:: inside[_pid] = true;
	   version = current;
	   assert(!freed[version]);
	   d_step { version = 0; inside[_pid] = false }
	od
}

active proctype Writer()
{
	bit old;
	byte i;

	do
	:: old = current;
	   d_step { freed[1 - old] = false; current = 1 - old };
#if !HASTY
	   for (i : 0 .. READERS - 1) { !inside[i] };
#endif
	   freed[old] = true
	od
}
