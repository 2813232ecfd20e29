// expect: holds safety
// expect: states 11
// expect: transitions 11
/* An escape that can answer a send does so; the receive it interrupts does not get the message. */
byte x; chan q = [0] of { byte };
active proctype P() { q!3; x = 2 }
active proctype Q() { byte y; { q?y; assert(false) } unless { q?y; x = 7 } }
