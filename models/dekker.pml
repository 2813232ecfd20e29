// expect: holds safety
// expect: states 101
// expect: transitions 201
/* Dekker's algorithm, one step a line: the model that Godefroid and Holzmann count as 101 states. */
bool y1, y2;
byte t = 1;

proctype P1()
{
l0:	skip;
l1:	y1 = true;
l2:	if
	:: y2 == false -> goto l7
	:: else
	fi;
l3:	if
	:: t == 1 -> goto l2
	:: else
	fi;
l4:	y1 = false;
l5:	do
	:: t == 1 -> goto l1
	:: else
	od;
l7:	t = 2;
l8:	y1 = false;
	goto l0
}

proctype P2()
{
m0:	skip;
m1:	y2 = true;
m2:	if
	:: y1 == false -> goto m7
	:: else
	fi;
m3:	if
	:: t == 2 -> goto m2
	:: else
	fi;
m4:	y2 = false;
m5:	do
	:: t == 2 -> goto m1
	:: else
	od;
m7:	t = 1;
m8:	y2 = false;
	goto m0
}

init { atomic { run P1(); run P2() } }
