// expect: fails safety, blocked_d_step, trace = 2
// expect: unreached 11, 16, 18, 19
/* Inside a `d_step` the first option that is open is taken: the others are not executed. A statement that blocks there is an
   error, and what follows is not executed. */
byte x;
active proctype P() {
	d_step {
		x = 1;
		if
		:: x == 1 -> x = 2
		:: x == 0 -> x = 2
		fi
	};
	d_step {
		x = 3;
		x == 9; x = 4
	};
	x = 5
}
