// expect: fails safety, assertion, trace = 2
/* A d_step of some thousand actions. */
int n; byte a[10];
active proctype P() {
	d_step {
		do
		:: n < 1000 -> n++; a[n % 10] = n % 256
		:: else -> break
		od
	};
	assert(a[3] != 993 % 256)
}
