/* At most two messages wait for an answer. */
chan data = [8] of { bit };
chan ack = [8] of { bit };
active proctype Sender() {
	byte open;
	do
	:: open < 2 -> data!1; open++
	:: ack?1 -> open--
	od
}
active proctype Receiver() { do :: data?1 -> ack!1 od }
