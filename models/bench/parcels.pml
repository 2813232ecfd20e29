// expect: holds safety
// expect: states 1536
// expect: transitions 3560
/* Parcels of two kinds go round in a ring of channels; at each place a clerk may turn a parcel over. For timing: -D N=8. */
#ifndef N
#define N 4
#endif

chan belt[N] = [2] of { bit };

active [N] proctype Clerk()
{
	bit parcel;

	if
	:: _pid % 2 == 0 -> belt[_pid]!0
	:: else
	fi;
	do
	:: belt[_pid]?parcel;
	   if
	   :: belt[(_pid + 1) % N]!parcel
	   :: belt[(_pid + 1) % N]!(1 - parcel)
	   fi
	od
}
