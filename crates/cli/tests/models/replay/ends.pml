// A run that ends goes on for ever in its last state; with N it deadlocks.
byte g;
chan c = [1] of { byte };

active proctype A() {
	byte x;
	x = 1;
	x = 2;
	g = 1;
	x = 3
#ifdef N
	; c!x; c!x
#endif
}

ltl reached { <> (g == 3) }
