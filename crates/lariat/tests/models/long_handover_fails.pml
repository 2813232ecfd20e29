// expect: fails safety, assertion, trace = 1
/* Two processes hand control to each other inside their atomic sequences, some hundred times in one step. */
chan ab = [0] of { int }, ba = [0] of { int };
int n;
active proctype A() {
	int v;
	atomic {
		do
		:: n < 200 -> ab!n; ba?v
		:: else -> break
		od;
		assert(n != 200)
	}
}
active proctype B() {
	int v;
	atomic {
	end:	do
		:: ab?v -> n++; ba!v
		od
	}
}
