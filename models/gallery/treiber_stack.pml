// with: -D TAGGED=0..1
// expect TAGGED=0: fails safety, assertion
// expect TAGGED=1: holds safety
/* A lock-free stack (Treiber) with two threads, and the ABA problem.
 *
 * `pop` reads the top and its successor, and puts the successor in place of the top if the top is still the same node. If the
 * node was taken, freed, and put back in between, the comparison succeeds and the successor is stale: a node is on the stack and in
 * somebody's hands. With a counter beside the pointer (`-D TAGGED=1`) the comparison fails, as it should.
 */
#define NONE 0
#ifndef TAGGED
#define TAGGED 0
#endif

byte top = 1, tag;            /* nodes are 1 and 2; 1 lies on 2 */
byte next[3];
bool owned[3];                /* by a thread that has popped it */

inline pop(node)
{
	do
	:: d_step { node = top; seen = tag };
	   if
	   :: node == NONE -> break
	   :: else
	   fi;
	   after = next[node];
	   atomic {
		if
#if TAGGED
		:: top == node && tag == seen ->
#else
		:: top == node ->
#endif
		   top = after; tag++; owned[node] = true; assert(!owned[top]); break
		:: else
		fi
	   }
	od
}

inline push(node)
{
	do
	:: d_step { after = top; seen = tag };
	   next[node] = after;
	   atomic {
		if
		:: top == after -> owned[node] = false; top = node; tag++; break
		:: else
		fi
	   }
	od
}

proctype Pops()
{
	byte node, after, seen;

	pop(node)
}

proctype PopsAndPushes()
{
	byte first, second, after, seen;

	pop(first);
	pop(second);
	if
	:: first != NONE -> push(first)
	:: else
	fi
}

init {
	next[1] = 2;
	atomic { run Pops(); run PopsAndPushes() }
}
