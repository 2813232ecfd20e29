/* Every message comes back twice, through the other channel. */
chan there = [1] of { byte };
chan back = [1] of { byte };
active proctype A() { there!7; do :: back?7 -> there!7 od }
active proctype B() { do :: there?7 -> back!7; back!7 od }
