// expect: error P0434
// says: `req` is a constant; it cannot change
// says: `ack` is a constant
mtype = { req, ack };
active proctype Q() { req = 1; ack++ }
