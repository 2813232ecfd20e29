// expect: holds safety
// expect: states 15
// expect: transitions 14
/* Declared behind the first statement: a step that sets the variable anew. */
byte g;
active proctype P() {
	byte early = 3;
	do
	:: g < 2 -> byte n; n++; assert(n == 1); g++
	:: else -> break
	od;
	byte late = early + g;
	assert(late == 5)
}
