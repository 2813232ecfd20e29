// expect: holds safety
// expect: states 78
// expect: transitions 135
/* Chang and Roberts' election in a ring of channels: every node sends its number round, and the largest one comes home.
   For timing: -D N=10. */
#ifndef N
#define N 3
#endif
#define NUMBER(node) ((node * 5 + 3) % 17)

mtype = { candidate, elected };
chan link[N] = [N] of { mtype, byte };
byte leaders;

active [N] proctype Node()
{
	byte mine = NUMBER(_pid);
	byte number, leader;

	link[(_pid + 1) % N]!candidate, mine;
	do
	:: link[_pid]?candidate, number ->
		if
		:: number > mine -> link[(_pid + 1) % N]!candidate, number
		:: number == mine ->
			leaders++;
			assert(leaders == 1);
			leader = mine;
			link[(_pid + 1) % N]!elected, mine
		:: else
		fi
	:: link[_pid]?elected, number ->
		if
		:: leader == mine
		:: else -> leader = number; link[(_pid + 1) % N]!elected, number
		fi;
		break
	od
}
