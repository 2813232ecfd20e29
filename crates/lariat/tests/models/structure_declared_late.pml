// expect: holds safety
// expect: states 14
// expect: transitions 13
/* The declaration of a structure behind the first statement is a step that sets nothing: its parts keep their values. */
typedef S { byte p = 4; byte q };
byte x;
active proctype P() { do :: x < 2 -> S s; x++; assert(s.p == 4); s.q++ :: else -> assert(s.q == 2); break od }
