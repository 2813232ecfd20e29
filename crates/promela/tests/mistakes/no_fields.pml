// expect: error P0100
// says: expected a type, found `}`
chan s = [1] of { };
init { skip }
