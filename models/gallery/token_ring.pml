// expect: holds safety
// expect: holds one_at_a_time
// expect: holds served
/* A ring of N stations; who has the token may send. A station keeps its token for one turn.
 *
 * Every station that wants to send gets the token (`served`). No fairness is needed: a user waits while its wish is open, so that
 * nothing can go on for ever but the token.
 */
#define N 3

chan ring[N] = [1] of { bit };
bool wants[N], sends[N];

active [N] proctype Station()
{
	bit token;

	if
	:: _pid == 0 -> ring[0]!1
	:: else
	fi;
end:	do
	:: ring[_pid]?token ->
	   if
	   :: wants[_pid] -> sends[_pid] = true; wants[_pid] = false; sends[_pid] = false
	   :: else
	   fi;
	   ring[(_pid + 1) % N]!token
	od
}

active proctype User()
{
	do
	:: !wants[1] -> wants[1] = true
	:: !wants[2] -> wants[2] = true
	od
}

ltl one_at_a_time { [] !(sends[0] && sends[1] || sends[0] && sends[2] || sends[1] && sends[2]) }
ltl served { [] (wants[1] -> <> sends[1]) }
