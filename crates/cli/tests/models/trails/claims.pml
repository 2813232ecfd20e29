// Claims take numbers but have no lines. Control rests at a jump that another process speaks of.
// trail: 1:0:0 2:0:1 3:0:3 4:0:4
byte x;

active proctype Runner() {
    x = 1;
here:
    goto there;
    skip;
there:
    timeout -> x = 3
}

never {
    do
    :: x == 2 -> break
    :: else
    od
}

active proctype Watcher() {
    Runner@here -> x = 2;
    x == 4
}

ltl low { [] (x < 4) }
