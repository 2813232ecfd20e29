// expect: fails safety, event_trace
/* What a `trace` is about is done in one order. */
chan q = [2] of { byte };
chan p = [2] of { byte };
active proctype A() { byte x; x = 1; q!x }
active proctype B() { byte y; y = 1; p!y }
trace { do :: q!1 -> p!1 od }
