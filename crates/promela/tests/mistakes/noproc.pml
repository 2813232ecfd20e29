// expect: error P0400
// says: neither `init` nor an `active proctype`
byte x;
