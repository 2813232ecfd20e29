// expect: holds safety
// expect: unreached 16
/* Both halves of a handshake are executed, by whichever of two receives; one that never gets its message is not. */
chan q = [0] of { byte };
byte x;
active proctype Sender() {
	if
	:: q!1
	:: q!2
	fi
}
active proctype Receiver() {
	end: if
	:: q?1 -> x = 1
	:: q?2 -> x = 1
	:: q?3
	fi
}
