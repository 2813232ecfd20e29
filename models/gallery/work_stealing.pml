// with: -D UNGUARDED=0..1
// expect UNGUARDED=0: holds safety
// expect UNGUARDED=1: fails safety, assertion
/* A work-stealing deque: the owner pushes and takes at the bottom, a thief steals at the top.
 *
 * Only the last task is contended: the owner announces that it takes it by moving `bottom` first, looks at `top`, and where one task is
 * left decides by compare-and-swap, as the thief does. `-D UNGUARDED=1` lets the owner take the last one without it, and a task
 * is done twice.
 */
#ifndef UNGUARDED
#define UNGUARDED 0
#endif
#define TASKS 3

short top, bottom;
byte done[TASKS];

inline do_task(n) { d_step { assert(done[n] == 0); done[n]++ } }

active proctype Owner()
{
	short b, t;

	do
	:: bottom < TASKS -> bottom++         /* tasks 0, 1, 2 are pushed */
	:: else -> break
	od;
	do
	:: b = bottom - 1;
	   bottom = b;
	   t = top;
	   if
	   :: t < b -> do_task(b)
	   :: t == b ->
#if UNGUARDED
	      do_task(b);
#else
	      atomic {
		if
		:: top == t -> top = t + 1; do_task(b)
		:: else
		fi
	      };
#endif
	      break
	   :: else -> break
	   fi
	od;
	bottom = top
}

active proctype Thief()
{
	short b, t;

	do
	:: t = top;
	   b = bottom;
	   if
	   :: t < b ->
	      atomic {
		if
		:: top == t -> top = t + 1; do_task(t)
		:: else
		fi
	      }
	   :: else -> break
	   fi
	od
}
