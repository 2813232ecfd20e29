// expect: fails safety, assertion, trace = 8
// expect: states 81
// expect: transitions 128
/* Two workers increment a shared counter without a lock: an update gets lost. */
byte counter;
byte finished;

active [2] proctype Worker()
{
	byte seen;

	seen = counter;
	counter = seen + 1;
	finished++;

	if
	:: finished == 2 -> assert(counter == 2)
	:: else
	fi
}
