// A pid is given anew after a death, so every death needs its line.
// trail: 1:0:4 2:0:5 3:0:6 4:0:7 5:1:0 6:1:1 7:1:2 8:1:3 9:0:9 10:0:10 11:0:5 12:0:6 13:0:7 14:1:0 15:1:1 16:1:2
// trail: 17:1:3 18:0:9 19:0:10 20:0:5 21:0:6 22:0:7 23:1:0 24:1:1
byte alive, born;

proctype Child(byte rank) {
    byte mine = rank;
    born++;
    assert(mine < 3);
    alive--
}

init {
    byte i;
    for (i : 1 .. 3) {
        atomic { alive++; run Child(i) };
        alive == 0 && _nr_pr == 1
    }
}
