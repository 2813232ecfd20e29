// expect: error P0100
// says: `do` is a keyword
// says: `of` is a keyword
// says: `init` is a keyword
// says: `if` is a keyword
byte do; chan of = [1] of {byte}; byte init;
proctype if() { skip }
init { skip }
