// expect: fails safety, assertion
/* Ranks that change at run time. */
byte g;
active proctype A() priority 5 { byte x; x = 1; set_priority(_pid, x); assert(g == 0) }
active proctype B() priority 2 { g = 1 }
