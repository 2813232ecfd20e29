/* Nobody waits, so two can be inside at once. */
byte inside;
ltl alone { [] (inside < 2) }

active [2] proctype P() {
	do
	:: inside++;
	   assert(inside == 1);
	   inside--
	od
}
