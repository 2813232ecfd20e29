// expect: fails safety, invalid_end
// expect: unreached 10, 11, 15, 16, 18
/* What control waits at for ever is not executed; nor are an option that is never open and what follows it. A send that
   nobody answers does not happen either. */
chan q = [0] of { byte };
byte x;
active proctype P() {
	do
	:: x < 2 -> x++
	:: x == 7 ->
		x = 0
	:: x == 2 -> break
	od;
	if
	:: q!1;
		x = 1
	fi
}
