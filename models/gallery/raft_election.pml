// with: -D FORGETS=0..1
// expect FORGETS=0: holds safety
// expect FORGETS=1: fails safety, assertion
/* The election of a leader in Raft: terms, votes, and at most one leader in a term.
 *
 * Three servers; each may call an election, and votes once in a term for whoever asks first. Messages wait in channels, may come
 * late, and are lost where a channel is full. `-D FORGETS=1` lets a server forget its vote, as if it had not been written to disk before the answer: two leaders.
 */
#define N 3
#define TERMS 2
#ifndef FORGETS
#define FORGETS 0
#endif

mtype = { ask, grant };

chan inbox[N] = [2] of { mtype, byte, byte };      /* what, term, from */
byte leader_of[TERMS + 1] = N;                     /* N: nobody yet */

active [N] proctype Server()
{
	byte term, voted = N, votes, t, from, i;
	bool campaigns;

end:	do
	:: atomic { term < TERMS ->
	   term++; campaigns = true; voted = _pid; votes = 1;
	   for (i : 0 .. N - 1) {
		if
		:: i != _pid && nfull(inbox[i]) -> inbox[i]!ask, term, _pid
		:: else
		fi
	   };
	   i = 0 }
	:: atomic { inbox[_pid]?ask, t, from ->
	   if
	   :: t > term -> term = t; campaigns = false; voted = N
	   :: else
	   fi;
	   if
	   :: t == term && (voted == N || voted == from) ->
	      voted = from;
	      if
	      :: nfull(inbox[from]) -> inbox[from]!grant, t, _pid
	      :: else
	      fi
	   :: else
	   fi;
	   t = 0; from = 0 }
	:: atomic { inbox[_pid]?grant, t, from ->
	   if
	   :: t == term && campaigns ->
	      votes++;
	      if
	      :: votes > N / 2 ->
		 assert(leader_of[term] == N || leader_of[term] == _pid);
		 leader_of[term] = _pid
	      :: else
	      fi
	   :: else
	   fi;
	   t = 0; from = 0 }
#if FORGETS
	:: voted != N && !campaigns -> voted = N
#endif
	od
}
