// SPIN makes one step of several statements of these processes.
byte g;
chan c = [0] of { byte };

active proctype A() {
	byte x, y;
	x = 1;
	y = x + 1;
	x = y * 2;
	g = x;
	c!x;
	atomic { x = 0; y = 0; g = 5 }
	assert(g != 5)
}

active proctype B() {
	byte z, w;
	z = 3;
	c?z;
	w = z;
	z = w + 1;
	w = z + 1;
	d_step { w = 1; z = 2; g++ }
	w = 2;
	z = 3
}
