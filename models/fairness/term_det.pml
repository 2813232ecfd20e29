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

proctype Worker(byte me) {
	do
	:: active_worker[me]			/* works on */
	:: atomic { active_worker[me] -> active_worker[me] = false; count-- }
	:: count > 0 && !active_worker[me]	/* stays passive */
	:: atomic { count > 0 && !active_worker[me] -> active_worker[me] = true; changed[me] = true; count++ }
	:: done -> break
	od
}

proctype Station(byte me) {
	byte token;
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

init {
	byte i;
	atomic {
		for (i : 0 .. N - 1) {
			run Worker(i);
			run Station(i)
		}
	}
}

ltl detected { [] (count == 0 -> <> done) }
