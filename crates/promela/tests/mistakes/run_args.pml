// expect: error P0449
// says: `P` takes 2 arguments, not 1
// says: not 3
// says: not 0
proctype P(byte a; byte b) { skip }
init { run P(1); run P(1, 2, 3); run P() }
