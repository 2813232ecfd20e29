// expect: holds safety
// expect: states 4
// expect: transitions 3
/* An escape that begins with a loop waits for one of its options, at the front of an atomic too. */
byte x;
active proctype P() {
	{ atomic { x = 1; x = 2 } } unless { do :: x == 7 -> assert(false) od };
	assert(x == 2)
}
