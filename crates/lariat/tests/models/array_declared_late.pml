// expect: holds safety
// expect: states 11
// expect: transitions 10
/* The declaration of an array behind the first statement is a step that sets all of it, each time. */
byte rounds;
active proctype P() {
	do
	:: rounds < 2 -> byte a[3] = rounds + 1; assert(a[0] == rounds + 1 && a[2] == rounds + 1); rounds++
	:: else -> break
	od
}
