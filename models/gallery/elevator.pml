// with: --fairness weak -D GREEDY=0..1
// expect: holds safety
// expect: holds doors
// expect GREEDY=0: holds comes
// expect GREEDY=1: fails comes, cycle
/* An elevator between FLOORS floors. People press buttons; the car goes on in its direction as long as somebody waits there.
 *
 * The car never moves with an open door (`doors`), and whoever presses the button on the top floor is served (`comes`), if no process
 * is stopped for ever. With `-D GREEDY=1` the car looks at the button of its own floor again before it goes on: people on the ground
 * floor keep it there for ever.
 */
#ifndef GREEDY
#define GREEDY 0
#endif
#define FLOORS 3
#define TOP (FLOORS - 1)

bool called[FLOORS], open, moving;
byte floor;
bit up = 1;

inline anyone(from, to, result)
{
	d_step {
		result = false;
		for (f : from .. to) {
			result = result || called[f]
		};
		f = 0
	}
}

active proctype Car()
{
	byte f;
	bool ahead;

	do
	:: if
	   :: called[floor] ->
	      open = true;
	      called[floor] = false;
	      open = false;
#if GREEDY
	      goto again
#endif
	   :: else
	   fi;
	   if
	   :: up && floor < TOP -> anyone(floor + 1, TOP, ahead)
	   :: !up && floor > 0 -> anyone(0, floor - 1, ahead)
	   :: else -> ahead = false
	   fi;
	   if
	   :: ahead -> moving = true;
		if
		:: up -> floor++
		:: else -> floor--
		fi;
		moving = false
	   :: else -> up = 1 - up
	   fi;
again:	   skip
	od
}

active proctype People()
{
	do
	:: !called[0] -> called[0] = true
	:: !called[1] -> called[1] = true
	:: !called[TOP] -> called[TOP] = true
	od
}

ltl doors { [] !(open && moving) }
ltl comes { [] (called[TOP] -> <> (floor == TOP && open)) }
