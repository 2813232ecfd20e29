// A plant that takes some hundred thousand states and never fails: the pump is overhauled in time.

#define PORTIONS 8
#define LIFETIME 60

byte ordered[3], strokes;
bool busy[3];

active proctype Controller() {
	do
	:: strokes < LIFETIME - 20 -> strokes++
	:: atomic { strokes > 0 -> strokes = 0 }
	od
}

active [3] proctype Line() {
	do
	:: atomic { !busy[_pid - 1] -> busy[_pid - 1] = true; ordered[_pid - 1] = (ordered[_pid - 1] + 1) % PORTIONS }
	:: busy[_pid - 1] -> busy[_pid - 1] = false
	od
}

ltl worn { [] (strokes < LIFETIME - 10) }
ltl overhauled { [] <> (strokes < LIFETIME) }
