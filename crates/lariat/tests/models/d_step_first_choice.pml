// expect: holds safety
// expect: states 4
// expect: transitions 3
/* Inside d_step the first option that can be taken is taken. */
byte x, y;
active proctype P() {
	d_step { do :: x < 3 -> x++ :: x < 5 -> y = 9; x++ :: else -> break od };
	assert(x == 5 && y == 9)
}
