// expect: holds safety
// expect: states 49
// expect: transitions 95
/* Long atomic chains: a plant of N vessels. Every step fills, stirs and drains all of them, hundreds of actions in one atomic sequence, whose
   beginning chooses what is made.

   For timing: -D MOST=40. */

#ifndef N
#define N 24
#endif
#ifndef MOST
#define MOST 2
#endif
#define RECIPES 3

byte level[N];
byte made[RECIPES];

active proctype Plant()
{
	byte at, recipe, amount;

	do
	:: atomic {
		if
		:: made[0] < MOST -> recipe = 0
		:: made[1] < MOST -> recipe = 1
		:: made[2] < MOST -> recipe = 2
		:: else -> made[0] = 0; made[1] = 0; made[2] = 0; recipe = 0
		fi;
		amount = recipe + 1;
		at = 0;
		do
		:: at < N ->
			level[at] = (made[recipe] + amount) % 4;
			if
			:: level[at] == 3 -> amount = (amount + at) % 5
			:: else -> skip
			fi;
			at++
		:: else -> break
		od;
		made[recipe] = made[recipe] + 1;
		at = 0;
		recipe = 0;
		amount = 0
	}
	od
}
