// The value of `x` does not matter to SPIN where the loop begins, so that what is a cycle to it may take us a round more.
byte g;
byte spare;

active proctype A() {
	byte x;
	do
	:: x = x + 1; x = 2; g = 1 - g; x = 3
	od
}

active proctype B() {
	do
	:: spare = 1 - spare
	:: g == 3 -> break
	od
}

ltl settles { <>[] (g == 1) }
ltl moves { []<> (spare == 1) }
