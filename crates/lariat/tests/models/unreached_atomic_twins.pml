// expect: holds safety
// expect: unreached none
/* Both options lead to the same state inside the atomic sequence, which is passed once: both are executed. So are the
   options of the second choice, though only the first of them is followed from each state. */
byte x;
active proctype P() {
	atomic {
		if
		:: x = 1
		:: x = 2; x = 1
		:: skip; x = 1
		fi;
		if
		:: x == 1 -> x = 3
		:: x > 0 -> x = 3
		fi;
		x = 4
	}
}
