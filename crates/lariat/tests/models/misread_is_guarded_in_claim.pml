// expect: holds never
/* Where the index lies outside, no move of the claim depends on the reading. */
byte a[3], i;
active proctype P() { do :: i < 6 -> i++ :: i = 0 od }
never { do :: i < 3 && a[i] == 1 -> break :: true od }
