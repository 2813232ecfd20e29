// The last statement of a trail of SPIN's cannot be taken.
byte a[3];
byte i;
bool ready;

active proctype Writer() {
	byte steps;
	do
	:: i < 5 -> a[i] = 1; i++; steps = steps + 1; steps = steps + 0
	:: ready -> break
	od
}

active proctype Other() {
	ready = false
}
