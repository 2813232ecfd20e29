// Inlines, loops, escapes and jumps: what SPIN numbers in an order of its own.
// trail: 1:0:0 2:0:1 3:0:2 4:0:3 5:0:1 6:0:2 7:0:3 8:0:1 9:0:2 10:0:3 11:0:4 12:0:9 13:0:13 14:0:14 15:0:16
// trail: 16:0:17 17:0:22 18:0:23 19:0:24 20:0:28 21:0:22 22:0:23 23:0:24 24:0:26 25:0:36 26:0:37 27:0:39 28:0:43
// trail: 29:0:45
byte x, y, cells[3];

inline add(a, b) { a = a + b; skip }

active proctype Walker() {
    byte i;
    for (i in cells) { cells[i] = i };
    select (i : 2 .. 3);
    { add(x, i); add(x, 1) } unless { y == 1 };
    do
    :: x >= 2 -> add(y, 1); if :: y == 2 -> goto out :: else fi
    :: x > 9 -> break
    od;
out:
    skip;
    byte late = 7;
    x = late unless y == 9;
    progress1: goto over;
    skip;
over:
    assert(x != 7)
}
