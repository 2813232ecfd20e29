// expect: fails safety, channel, trace = 6
/* The channel of a process dies with it: to use it afterwards is an error, and nothing gets into the next one's. */
chan g;
proctype Own(byte n) {
	chan me = [1] of { byte };
	if
	:: n == 1 -> g = me
	:: n == 2 -> assert(len(me) == 0)
	fi
}
init { run Own(1); (_nr_pr == 1); g!4; run Own(2) }
