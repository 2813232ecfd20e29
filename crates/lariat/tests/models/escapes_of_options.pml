// expect: fails safety, assertion, trace = 2
/* The escape of one option keeps back this option alone. */
byte x, y;
active proctype A() {
	do
	:: { y = 5 } unless { x == 0 -> skip }
	:: { y = 6 } unless { y == 0 -> assert(false) }
	od
}
