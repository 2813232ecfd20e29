// expect: fails safety, assertion, trace = 2
/* B can move where C can; so A's question has a true answer. */
byte x;
active proctype A() { do :: enabled(1) -> assert(false) :: x = 1 od }
active proctype B() { do :: enabled(2) od }
active proctype C() { do :: x = 0 od }
