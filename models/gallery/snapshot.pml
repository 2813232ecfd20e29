// with: -D MARKERS=0..1
// expect MARKERS=1: holds safety
// expect MARKERS=0: fails safety, assertion
/* A snapshot of a running system (Chandy and Lamport): two accounts send money to each other, and somebody counts it all without
 * stopping them.
 *
 * Each account writes down its balance and sends a marker through its channels; what comes in before the marker of a channel was under way,
 * and counts. The sum is right, although no state of the system looked like the snapshot. With `-D MARKERS=0` only balances are
 * added up, and money on its way is missing.
 */
#ifndef MARKERS
#define MARKERS 1
#endif
#define N 2
#define MONEY 2

mtype = { money, marker };

chan line[N] = [3] of { mtype };              /* line[i] leads to account i */
byte recorded, finished;

active [N] proctype Account()
{
	byte balance = MONEY;
	bool counted, closed;

end:	do
	:: atomic { balance > 0 && nfull(line[1 - _pid]) -> balance--; line[1 - _pid]!money }
	:: atomic { !counted && (_pid == 0) && nfull(line[1 - _pid]) ->
	     counted = true; recorded = recorded + balance; line[1 - _pid]!marker }
	:: atomic { line[_pid]?money -> balance++;
	     if
#if MARKERS
	     :: counted && !closed -> recorded++
#endif
	     :: else
	     fi }
	:: atomic { line[_pid]?marker -> closed = true;
	     if
	     :: !counted -> counted = true; recorded = recorded + balance; line[1 - _pid]!marker
	     :: else
	     fi;
	     finished++;
	     assert(finished < N || recorded == N * MONEY) }
	od
}
