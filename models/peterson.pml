// expect: holds safety
// expect: states 38
// expect: transitions 64
/* Peterson's mutual exclusion for two processes. */
bool wants[2];
bit turn;
byte inside;

active [2] proctype Process()
{
	pid me = _pid;

again:
	wants[me] = true;
	turn = 1 - me;
	(!wants[1 - me] || turn == me);

	inside++;
	assert(inside == 1);
	inside--;

	wants[me] = false;
	goto again
}
