// expect: fails never, cycle
/* A claim that leaves what can be accepting and comes back to it. */
byte n;
active proctype A() { do :: n < 9 -> n++ od }
never {
T0:	if :: true -> goto accept_B :: true -> goto M0 fi;
M0:	do :: true :: n == 3 -> goto accept_M od;
accept_M:	do :: true -> goto M0 od;
accept_B:	do :: n < 5 :: n == 5 -> goto R od;
R:	do :: n < 5 :: n >= 5 -> goto accept_C od;
accept_C:	do :: true od
}
