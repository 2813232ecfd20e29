// with: -D FORGETS=0..1 --fairness weak
// expect FORGETS=0: holds safety
// expect FORGETS=0: holds detected
// expect FORGETS=1: fails safety, assertion
/* Termination detection on a ring (Dijkstra, Feijen, van Gasteren). Machines work, and a message from one that works makes another one
 * work again. Machine 0 wants to know when all are idle; no machine sees more than itself.
 *
 * A token goes round, from machine 0 to the last one and down from there, and waits at each until it is idle. Who has sent a message
 * against the way of the token, to a machine that it had passed already, is black, and makes the token black; a token that comes back white from white machines
 * means that all are idle. `-D FORGETS=1` lets machines forget that they have sent: the alarm comes while somebody works.
 */
#ifndef N
#define N 3
#endif
#ifndef FORGETS
#define FORGETS 0
#endif

bool busy[N] = true;
byte working = N;             /* of these; no machine looks at it */
bool black[N];
byte holder;                  /* of the token */
bool black_token = true;
bool alarm;

active [N] proctype Machine()
{
	byte to;

	do
	:: atomic {               /* a message */
		busy[_pid] -> select(to : 0 .. N - 1);
		if
		:: !busy[to] -> busy[to] = true; working++
		:: else
		fi;
		if
		:: to > _pid && !FORGETS -> black[_pid] = true
		:: else
		fi;
		to = 0
	   }
	:: atomic { busy[_pid] -> busy[_pid] = false; working-- }
	:: atomic {               /* the token goes on */
		holder == _pid && _pid > 0 && !busy[_pid] ->
		black_token = black_token || black[_pid];
		black[_pid] = false;
		holder--
	   }
	:: atomic {               /* the token is back */
		holder == 0 && _pid == 0 && !busy[0] && !alarm ->
		if
		:: !black_token && !black[0] -> alarm = true; assert(working == 0)
		:: else -> black_token = false; black[0] = false; holder = N - 1
		fi
	   }
	:: alarm && !busy[_pid] -> break
	od
}

ltl detected { [] (working == 0 -> <> alarm) }
