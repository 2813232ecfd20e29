// expect: error P0454
// says: a jump out of a `d_step`
// says: a jump into a `d_step`
// says: use `atomic` instead
byte x;
active proctype P() { d_step { x = 1; goto L }; L: skip; goto M; d_step { M: x = 2 } }
