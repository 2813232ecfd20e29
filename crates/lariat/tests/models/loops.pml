// expect: holds safety
// expect: states 47
// expect: transitions 46
byte i, n, a[3]; chan q = [3] of { byte };
active proctype P() {
	byte v;
	for (i : 1 .. 3) { n = n + i };
	for (i in a) { a[i] = i };
	q!5; q!6; for (v in q) { n = n + v };
	assert(n == 17 && i == 3 && len(q) == 2);
	select (i : 2..4); assert(i >= 2 && i <= 4)
}
