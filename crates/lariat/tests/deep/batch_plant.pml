// A batch plant: two lines order portions, a controller runs cycle after cycle. A cycle is one atomic sequence of more than a
// hundred actions: it moves the contents of every tank to the next one, and counts the strokes of the pump. The pump is
// overhauled when both lines rest; else it wears, and fails thousands of cycles later. Level by level there are millions
// of states before that.

#define TANKS 24
#define PORTIONS 50
#ifndef LIFETIME
#define LIFETIME 2000
#endif

byte level[TANKS];
byte ordered[2];
bool busy[2];
short strokes;

inline cycle(i) {
	i = TANKS - 1;
	do
	:: i > 0 ->
		if
		:: level[i] < 4 && level[i - 1] > 0 -> level[i]++; level[i - 1]--
		:: else
		fi;
		i--
	:: else -> break
	od;
	if
	:: level[TANKS - 1] > 0 -> level[TANKS - 1]--
	:: else
	fi;
	if
	:: !busy[0] && !busy[1] -> strokes = 0
	:: else ->
		level[0] = 1;
		if
		:: strokes < LIFETIME -> strokes++
		:: else
		fi
	fi;
	assert(strokes < LIFETIME)
}

active proctype Controller() {
	byte i;
	do
	:: atomic { true -> cycle(i) }
	od
}

active [2] proctype Line() {
	do
	:: atomic { !busy[_pid - 1] -> busy[_pid - 1] = true; ordered[_pid - 1] = (ordered[_pid - 1] + 1) % PORTIONS }
	:: atomic { busy[_pid - 1] -> busy[_pid - 1] = false }
	od
}

ltl worn { [] (strokes < LIFETIME - 10) }
ltl overhauled { [] <> (strokes < LIFETIME) }
