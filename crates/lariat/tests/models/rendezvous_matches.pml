// expect: fails safety, invalid_end, trace = 2
// expect: states 5
// expect: transitions 4
/* Constants and eval must match; several receivers are a choice. */
mtype = { red, green };
chan c = [0] of { mtype, byte };
byte who;
active proctype S() { c!green, 5 }
active proctype R1() { byte v; c?green, v; who = 1 }
active proctype R2() { byte v = 5; c?green, eval(v); who = 2 }
active proctype R3() { byte v; end: c?red, v; assert(false) }
