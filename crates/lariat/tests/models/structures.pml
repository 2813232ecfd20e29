// expect: holds safety
// expect: states 5
// expect: transitions 4
typedef Point { byte x; short y[2] };
typedef Pair { Point p[2]; bool ok };
Pair pairs[2];
active proctype P() {
	byte i = 1;
	pairs[i].p[1].y[i] = -5; pairs[0].ok = true;
	assert(pairs[1].p[1].y[1] == -5 && pairs[1].p[1].y[0] == 0 && !pairs[1].ok && pairs[0].ok)
}
