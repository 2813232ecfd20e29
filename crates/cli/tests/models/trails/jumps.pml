// A jump or join that leaves an atomic has a line where its process could be interrupted at it.
// trail: 1:0:0 2:0:1 3:1:20 4:1:21 5:0:2 6:0:7 7:0:8 8:1:22 9:0:11 10:0:13 11:0:14 12:1:23 13:0:15 14:0:18
chan q = [0] of { byte };
byte x;

active proctype A() {
    atomic {
        do
        :: x = 1; q!1; break
        od
    };
    x = 3;
    atomic { if :: q!2 :: x == 9 fi };
    atomic { x = 4; q!3; goto L };
    x = 8;
L:  assert(false)
}

active proctype B() {
    q?_;
    x = 7;
    q?_;
    q?_
}
