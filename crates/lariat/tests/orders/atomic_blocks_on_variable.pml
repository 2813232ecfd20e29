// expect: fails safety, assertion
/* Whether others see x == 1 depends on who is first, A's last statement or B's sequence. */
byte g, x;
active proctype A() { byte own; own = 1; g = own }
active proctype B() { atomic { x = 1; g == 1; x = 2 } }
active proctype C() { assert(x != 1) }
