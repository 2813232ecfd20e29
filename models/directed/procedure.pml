/* A procedure that an operator follows, and the plant that it is for: water in a boiler. The alarm goes when the level is low. The
   operator then closes the outlet, starts the pump, waits for the level to rise, and opens the outlet again. The procedure has a
   gap: if the pump trips, the operator resets it and begins anew, and it may trip again. So the level need not come back.
   The pump that trips is a loop of a few steps, well behind the beginning. */
// expect: holds safety
// expect: fails recovers, cycle
#ifndef L
#define L 6
#endif
#define LOW 2
byte level = L;
bool alarm, inlet, outlet = true, pump, tripped;

active proctype plant() {
	do
	:: d_step { outlet && level > 0 && !(inlet && pump) -> level-- }
	:: d_step { inlet && pump && level < L -> level++ }
	:: d_step { inlet && pump && !tripped && level < LOW -> pump = false; tripped = true }
	:: d_step { level < LOW && !alarm -> alarm = true }
	:: d_step { level >= LOW && alarm -> alarm = false }
	od
}

active proctype operator() {
watch:	alarm;
	outlet = false;		/* isolates the boiler */
	inlet = true;
	pump = true;
	do
	:: tripped ->
	   tripped = false;	/* resets the pump */
	   pump = true
	:: !tripped && level >= L - 1 -> break
	od;
	pump = false;		/* and restores it */
	inlet = false;
	outlet = true;
	goto watch
}

ltl recovers { [] (alarm -> <> !alarm) }
