// expect: holds safety
// expect: states 18
// expect: transitions 17
/* An escape that is a jump has begun with the statement it leads to: what may interrupt that one comes too late. */
byte x, n;
active proctype P() {
	{ n == 9; again: x = 1 } unless { n < 3 -> x = 2 };
	do
	:: n < 3 -> n++; assert(x != 0); { x = 7 } unless { goto again }
	:: n == 3 -> assert(x == 1); break
	od
}
