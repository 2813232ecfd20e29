/* Termination detection in a ring (TERM-DET of Kesten, Pnueli, Raviv and Shahar, 2006, after Dijkstra, Feijen and van
   Gasteren, 1983). Workers become passive, and may become active again as long as some worker is active. A token goes round,
   held by each station until its worker is passive: with value 1 on its first round, 2 on its second, and 1 again if a worker
   has been active since the token left it. When 2 comes back to the first station, all are passive for good. If all are passive,
   that is found out some time: it takes weak fairness, since a station that can pass the token on must do so.

   The number of stations is N: try -D N=3. */
// with: --fairness=weak
// expect: holds safety
// expect: holds detected
#ifndef N
#define N 2
#endif
chan box[N] = [1] of { byte };
bool active_worker[N] = true, changed[N];
byte count = N;		/* of active workers */
bool done;

active [N] proctype Worker() {
	do
	:: active_worker[_pid]			/* works on */
	:: atomic { active_worker[_pid] -> active_worker[_pid] = false; count-- }
	:: count > 0 && !active_worker[_pid]	/* stays passive */
	:: atomic { count > 0 && !active_worker[_pid] -> active_worker[_pid] = true; changed[_pid] = true; count++ }
	:: done -> break
	od
}

active [N] proctype Station() {
	byte me = _pid - N, token;
	if
	:: me == 0 -> token = 1
	:: else -> box[me]?token
	fi;
	do
	:: atomic { !active_worker[me] -> box[(me + 1) % N]!(token == 2 && !changed[me] -> 2 : 1); changed[me] = false };
	   if
	   :: atomic { box[me]?token ->
		if
		:: me == 0 && token == 2 -> done = true
		:: me == 0 && token < 2 -> token = 2
		:: else
		fi
	      }
	   :: done -> break
	   fi;
	   if
	   :: done -> break
	   :: else
	   fi
	od
}

ltl detected { [] (count == 0 -> <> done) }
