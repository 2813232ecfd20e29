// expect: error P0432
// expect: error P0420
// expect: error P0427
// expect: error P0431
// says: `Msg` has no field `sorce`
// says: did you mean `source`?
// says: name one of its fields
// says: `source` is not a structure
// says: `target` is not an array
typedef Msg { byte source; byte target };
Msg m;
active proctype Q() { m.sorce = 1; m = 1; m.source.x = 2; Msg n; n.target[2] = 1 }
