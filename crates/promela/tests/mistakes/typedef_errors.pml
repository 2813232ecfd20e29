// expect: error P0108
// expect: error P0100
// says: `bytee` is neither a type
// says: did you mean `byte`?
// says: expected the name of a variable
typedef T { bytee a; byte b; byte if };
T t;
init { t.b = 1 }
