// expect: holds safety
// expect: states 21
// expect: transitions 28
/* Channels as parameters, in variables and in messages. */
chan one = [1] of { byte }; chan two = [1] of { byte }; chan wire = [0] of { chan };
byte got;
proctype Give(chan to; byte what) { to!what }
active proctype P() { chan c; run Give(one, 4); c = one; c?got; assert(got == 4); wire!two }
active proctype Q() { chan c; wire?c; c!8; two?got; assert(got == 8) }
