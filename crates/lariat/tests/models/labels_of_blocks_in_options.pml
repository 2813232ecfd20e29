// expect: holds np_
// expect: fails accept, cycle
// with: --property=np_ --property=accept
/* The label of a block that an option begins with belongs to where the option is offered, as that of a plain statement does. */
byte x;
active proctype P() { do :: accept_here: { x = 1; x = 2 } :: progress_here: atomic { x = 0; x = 3 } od }
