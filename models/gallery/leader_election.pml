// with: -D N=3..4
// expect: holds safety
// expect: holds elected
// expect: holds stays
/* Leader election in a ring (Chang and Roberts): every station sends its number to its neighbour, passes on larger numbers and
 * swallows smaller ones. Who gets its own number back is the leader.
 *
 * Exactly one leader is elected, the one with the largest number, and stays the only one. Try to pass on smaller numbers, too, or to
 * swallow none.
 */
#ifndef N
#define N 3
#endif

chan ring[N] = [N] of { byte };
byte leaders, leader;

active [N] proctype Station()
{
	byte mine = N - _pid, got;

	ring[(_pid + 1) % N]!mine;
end:	do
	:: ring[_pid]?got ->
	   if
	   :: got > mine -> ring[(_pid + 1) % N]!got
	   :: got == mine -> leaders++; leader = got; assert(leader == N)
	   :: else
	   fi
	od
}

ltl elected { <> (leaders == 1) }
ltl stays { [] (leaders == 1 -> [] (leaders == 1)) }
