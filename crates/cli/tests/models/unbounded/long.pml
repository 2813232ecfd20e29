/* One message more each time the clock has gone round. */
chan q = [1] of { byte };
byte clock;
active proctype P() {
	do
	:: clock < 200 -> clock++
	:: clock == 200 -> q!clock; clock = 0
	od
}
