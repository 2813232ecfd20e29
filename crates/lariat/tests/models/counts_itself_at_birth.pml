// Initial values count the process they belong to, and those before it; priorities of the latter can be asked for.
// expect: holds safety
// expect: states 41
// expect: transitions 82
active proctype First() priority 3 {
	byte count = _nr_pr;
	byte next = get_priority(1);
	assert(count == 1 && next == 0)
}
active proctype Second() {
	byte count = _nr_pr;
	byte own = get_priority(_pid);
	byte first = get_priority(0);
	assert(count == 2 && own == 1 && first == 3)
}
proctype Child() {
	byte count = _nr_pr;
	assert(count == 4 || count == 5)
}
init {
	byte count = _nr_pr;
	run Child();
	run Child();
	assert(count == 3)
}
