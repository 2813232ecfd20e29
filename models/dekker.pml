/* Dekker's algorithm for two processes that are never in their critical sections at once, as in figure 1 of Godefroid and
   Holzmann, On the verification of temporal properties (1993): a step for each line, the jumps folded into the step before.

   That who wants to enter also does fails here: the other process may run round its waiting loop for ever. With
   --fairness weak it holds. */
// expect: holds safety
// expect: states 101
// expect: transitions 201
// expect: holds alone
// expect: fails enters, cycle
byte turn = 1;
bool y1, y2;

proctype P1() {
l0:	printf("not critical\n");
l1:	y1 = true;
l2:	if
	:: !y2 -> goto l7
	:: else
	fi;
	if
	:: turn == 1 -> goto l2
	:: else
	fi;
	y1 = false;
l5:	if
	:: turn == 1 -> goto l1
	:: else -> goto l5
	fi;
l7:	turn = 2;
l8:	y1 = false;
	goto l0
}

proctype P2() {
m0:	printf("not critical\n");
m1:	y2 = true;
m2:	if
	:: !y1 -> goto m7
	:: else
	fi;
	if
	:: turn == 2 -> goto m2
	:: else
	fi;
	y2 = false;
m5:	if
	:: turn == 2 -> goto m1
	:: else -> goto m5
	fi;
m7:	turn = 1;
m8:	y2 = false;
	goto m0
}

init { atomic { run P1(); run P2() } }

ltl alone { [] !((P1@l7 || P1@l8) && (P2@m7 || P2@m8)) }
ltl enters { [] (P1@l1 -> <> P1@l7) }
