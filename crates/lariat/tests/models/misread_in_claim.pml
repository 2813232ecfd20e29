// expect: fails never
byte a[3], i;
active proctype P() { do :: i < 6 -> i++ :: i = 0 od }
never { do :: a[i] == 0 :: a[i] == 1 -> break od; accept: do :: true od }
