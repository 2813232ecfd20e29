// expect: holds safety
// expect: states 242
// expect: transitions 436
/* A bounded buffer, with numbered items that must arrive in order. */
#define ITEMS 6

chan buffer = [3] of { byte };

active proctype Producer()
{
	byte item;

	do
	:: item < ITEMS -> buffer!item; item++
	:: else -> break
	od
}

active proctype Consumer()
{
	byte expected, item;

	do
	:: expected < ITEMS ->
		buffer?item;
		assert(item == expected);
		expected++
	:: else -> break
	od
}
