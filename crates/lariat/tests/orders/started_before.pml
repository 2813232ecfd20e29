// expect: fails safety, assertion
/* SPIN's reduction misses it: the number of a process depends on who is started before. */
init { run f() }
active proctype f() { assert(_pid == 1) }
