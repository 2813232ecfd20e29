// expect: holds safety
// expect: states 12
// expect: transitions 12
/* A rendezvous receive cannot happen alone, so else does not wait for it; a send that is awaited keeps else away. */
chan c = [0] of { byte }; chan d = [0] of { byte };
byte r, s;
active proctype P() { byte v; if :: c?v -> r = 1 :: else -> r = 2 fi; if :: d!1 -> s = 1 :: else -> s = 2 fi }
active proctype Q() { byte v; end: c!7; d?v }
