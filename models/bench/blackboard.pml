// expect: holds safety
// expect: states 4096
// expect: transitions 12288
/* Wide states: W workers write their turns on a blackboard of CELLS bytes.

   For timing: -D CELLS=72. */

#ifndef W
#define W 3
#endif
#ifndef CELLS
#define CELLS 6
#endif
#define OWN (CELLS / W)

byte cell[CELLS];

active [W] proctype Worker()
{
	byte at;

	do
	:: at < OWN -> cell[_pid * OWN + at] = 200 - cell[_pid * OWN + at]; at++
	:: at == OWN -> at = 0
	od
}
