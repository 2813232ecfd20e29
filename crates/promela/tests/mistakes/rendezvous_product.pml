// expect: error P0501
// says: too large
// says: grow by their product
chan q = [0] of { byte, byte };
byte a, b;
#define S q!a,b; q!b,a; q!a,a; q!b,b;
#define R q?a,b; q?b,a; q?a,a; q?b,b;
#define S4 S S S S
#define S16 S4 S4 S4 S4
#define S64 S16 S16 S16 S16
#define R4 R R R R
#define R16 R4 R4 R4 R4
#define R64 R16 R16 R16 R16
active proctype P() { S64 S64 S64 S64 }
active proctype Q() { R64 R64 R64 R64 }
