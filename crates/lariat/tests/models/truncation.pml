// expect: holds safety
// expect: states 16
// expect: transitions 15
/* Stores cut to the type; expressions are C ints. */
byte b = 255; short s = 32767; int i = 2147483647; unsigned u : 3 = 7; bit t = 1; bool f; pid p;
active proctype P() {
	b++; s++; i++; u++; t = 2; f = 5; p = 257;
	assert(b == 0 && s == -32768 && i < 0 && u == 0 && t == 0 && f == 1 && p == 1);
	assert(b - 1 < 0); assert(-7 / 2 == -3 && -7 % 3 == -1); assert((1 << 31) < 0); assert(~0 == -1);
	b = 100 * 100; assert(b == 16)
}
