// expect: holds safety
// expect: states 189
// expect: transitions 372
/* A server that starts a worker for each request and hands it a private channel for the answer. */
mtype = { request, answer };

chan requests = [0] of { mtype, chan };
byte workers;

proctype Worker(chan reply)
{
	workers++;
	reply!answer, _pid;
	workers--
}

active proctype Server()
{
	chan reply;

end:	do
	:: requests?request, reply -> run Worker(reply)
	od
}

active [2] proctype Client()
{
	chan mine = [0] of { mtype, pid };
	pid who;

	requests!request, mine;
	mine?answer, who;
	assert(who > 0)
}
