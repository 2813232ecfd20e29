/* What is never taken stays, in front of what is: that cannot be told from the head. */
mtype = { wanted, other };
chan q = [4] of { mtype };
active proctype P() { do :: q!wanted; q!other; q??wanted od }
