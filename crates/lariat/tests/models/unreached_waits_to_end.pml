// expect: fails safety, invalid_end
// expect: unreached 15, 16
/* `Old` comes to its closing brace and cannot end before `Young`, which waits for ever at line 15: that brace is reached, and
   the one of `Young` is not. */
byte x;
active proctype Old() {
	x = 1
}
proctype Born() {
	skip
}
active proctype Young() {
	run Born();
	x == 1;
	x == 5
}
