// expect: holds safety
// expect: states 19
// expect: transitions 18
chan q = [4] of { byte, byte };
byte a, b;
active proctype P() {
	q!!3, 1; q!!1, 8; q!!3, 0; q!!1, 2;
	assert(q?[1, 2]); assert(q??[3, 0]); assert(!q?[3, 0]); assert(full(q));
	q??3, a; assert(a == 0 && len(q) == 3);
	q?<a, b>; assert(a == 1 && b == 2 && len(q) == 3);
	q??1, eval(a + 7); assert(len(q) == 2);
	q?a, _; q?a, b; assert(a == 3 && b == 1 && empty(q))
}
