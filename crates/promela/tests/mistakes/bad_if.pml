// expect: error P0015
// expect: error P0010
// expect: error P0012
// says: a value is missing at its end
// says: no `)` for this
// says: expected the name of a macro
// says: `#else` without an `#if`
#if 1 +
byte x;
#endif
#if (2
#endif
#ifdef
#endif
#else
init { skip }
