// expect: holds safety
// expect: states 29
// expect: transitions 44
/* A jump to the label of an atomic leaves it; a jump to a label inside does not. */
byte x, z;
active proctype P() {
	if
	:: goto outer
	:: goto other
	fi;
outer:	atomic { x++; if :: x < 3 -> goto outer :: else fi };
	goto done;
other:	atomic { z = 1; again: z++; if :: z < 5 -> goto again :: else fi };
done:	skip
}
active proctype Q() { assert(z == 0 || z == 5) }
