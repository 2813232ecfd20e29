// A rendezvous has two lines, the sender's first; the receiver may be in an atomic, or begin a d_step.
// trail: 1:1:8 2:0:0 3:0:1 4:1:9 5:1:10 6:0:5
mtype = { hello, bye };
chan door = [0] of { mtype, byte };
chan room = [1] of { byte };
byte seen;

active proctype Host() {
    byte who;
    atomic { door?hello(who); seen = who };
    d_step { door?bye(who); seen = seen + who };
    room?who
}

active proctype Guest() {
    door!hello(1);
    if
    :: atomic { seen == 1 -> door!bye(2) }
    fi;
    end: door!bye(3)
}
