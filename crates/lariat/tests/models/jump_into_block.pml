// expect: holds safety
// expect: states 8
// expect: transitions 7
/* A jump costs nothing, unless a block begins with it: control rests at the door of the block. */
byte x;
active proctype P() {
	x = 1; goto A; x = 2;
A:	{ goto B; x = 3 };
B:	x = 4; { x = 5; x = 6 } unless { goto C };
C:	atomic { goto D; x = 7 };
D:	x = 8; x = 9
}
