// with: -D CRASH=0..1
// expect: holds safety
// expect: holds agreement
// expect CRASH=0: holds decided
// expect CRASH=1: fails decided
/* Two-phase commit: a coordinator asks every participant to prepare, and commits if all say yes.
 *
 * No participant ever commits while another one aborts (`agreement`). With a coordinator that may crash after it has collected the
 * votes, everybody who said yes waits for ever: that is the blocking that two-phase commit is known for. `-D CRASH=1` shows it as
 * a failure of `decided`.
 */
#define N 2
#ifndef CRASH
#define CRASH 0
#endif

mtype = { prepare, yes, no, commit, abort, working, prepared, committed, aborted };

chan to[N] = [1] of { mtype };
chan votes = [N] of { mtype };
mtype state[N] = working;

active proctype Coordinator()
{
	mtype vote;
	byte i, agreed;

	for (i : 0 .. N - 1) { to[i]!prepare }
	do
	:: agreed < N -> votes?vote;
	   if
	   :: vote == yes -> agreed++
	   :: else -> break
	   fi
	:: else -> break
	od;
#if CRASH
	if
	:: goto crashed
	:: true
	fi;
#endif
	if
	:: agreed == N -> for (i : 0 .. N - 1) { to[i]!commit }
	:: else        -> for (i : 0 .. N - 1) { to[i]!abort }
	fi;
#if CRASH
crashed: skip
#else
	skip
#endif
}

active [N] proctype Participant()
{
	byte me = _pid - 1;
	mtype order;

	to[me]?prepare;
	if
	:: state[me] = prepared; votes!yes
	:: state[me] = aborted; votes!no
	fi;
end:	to[me]?order;
	if
	:: order == commit -> state[me] = committed
	:: else -> state[me] = aborted
	fi
}

#define one_commits (state[0] == committed || state[1] == committed)
#define one_aborts  (state[0] == aborted || state[1] == aborted)
#define all_decided (state[0] != working && state[0] != prepared && state[1] != working && state[1] != prepared)

ltl agreement { [] !(one_commits && one_aborts) }
ltl decided { <> all_decided }
