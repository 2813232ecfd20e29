// expect: fails safety, assertion, trace = 1
// expect: unreached 15, 21, 22
/* A statement whose only execution is an error is executed: an assertion that always fails, an index outside of its array in a
   condition, a division by zero. What stands behind the division is not, since that ends the run. */
byte x;
byte a[2];
active proctype P() {
	assert(x == 5);
	x = 1
}
active proctype Q() {
	byte y = 3;
	if
	:: a[y] == 1 ->
		skip
	:: true
	fi;
	y = 0;
	y = 1 / y;

	x = 3
}
