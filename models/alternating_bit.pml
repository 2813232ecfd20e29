// expect: holds safety
// expect: states 77
// expect: transitions 92
/* The alternating bit protocol over channels that may lose messages. */
mtype = { message, ack };

chan forth = [2] of { mtype, bit, byte };
chan back = [2] of { mtype, bit };

active proctype Sender()
{
	byte data;
	bit tag, answer;

	do
	:: forth!message(tag, data);
	   if
	   :: back?ack(answer) ->
		if
		:: answer == tag -> tag = 1 - tag; data = (data + 1) % 4
		:: else
		fi
	   :: timeout
	   fi
	od
}

active proctype Receiver()
{
	byte data, expected;
	bit tag, wanted;

end:	do
	:: forth?message(tag, data) ->
		if
		:: tag == wanted ->
			assert(data == expected);
			expected = (expected + 1) % 4;
			wanted = 1 - wanted
		:: else
		fi;
		back!ack(tag)
	od
}

active proctype Thief()
{
end:	do
	:: forth?message(_, _)
	:: back?ack(_)
	od
}
