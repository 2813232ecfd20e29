// expect: error P0108
// says: a `typedef` must stand before its uses
typedef A { B b };
typedef B { byte x };
A a;
init { skip }
