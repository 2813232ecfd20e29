// A plant that takes more than a hundred thousand states and never fails: the pump is overhauled in time.

#define PORTIONS 4

byte ordered[3], strokes;
bool busy[3];

active proctype Controller() {
	do
	:: strokes < 40 -> strokes++
	:: atomic { strokes > 0 -> strokes = 0 }
	od
}

active [3] proctype Line() {
	do
	:: atomic { !busy[_pid - 1] -> busy[_pid - 1] = true; ordered[_pid - 1] = (ordered[_pid - 1] + 1) % PORTIONS }
	:: busy[_pid - 1] -> busy[_pid - 1] = false
	od
}

ltl worn { [] (strokes < 50) }
ltl overhauled { [] <> (strokes < 60) }
