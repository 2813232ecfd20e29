// expect: error P0405
// says: `T` cannot contain itself
typedef T { T x; byte b };
T t;
init { t.b = 1 }
