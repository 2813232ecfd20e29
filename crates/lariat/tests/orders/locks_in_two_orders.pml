// expect: fails safety, invalid_end
/* The usual deadlock, with private steps between. */
byte s = 1, t = 1;
active proctype A() { byte x; atomic { s > 0 -> s-- }; x = 1; atomic { t > 0 -> t-- }; assert(x == 1); s++; t++ }
active proctype B() { byte x; atomic { t > 0 -> t-- }; x = 1; atomic { s > 0 -> s-- }; assert(x == 1); s++; t++ }
