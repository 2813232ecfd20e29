// expect: error P0459
#define N 3
byte a[N];
active proctype P() { a[0] = 1 }
ltl { [] (a[N + 4] == 0) }
