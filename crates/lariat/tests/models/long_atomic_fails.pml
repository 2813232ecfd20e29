// expect: fails safety, assertion, trace = 4
/* An atomic sequence of some thousand actions, with loops and a choice in it, is one step of the run to the failure. */
int sum; byte a[4]; byte k;
active proctype P() {
	int i; byte j;
	k = 1;
	atomic {
		for (i : 1 .. 300) {
			for (j : 0 .. 3) { a[j] = i % 7; sum = sum + 1 }
		};
		select(j : 1 .. 3);
		sum = sum + j
	};
	k = 2;
	assert(sum != 1202)
}
