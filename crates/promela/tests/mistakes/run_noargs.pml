// expect: error P0100
// says: expected `(` and the arguments of the process
proctype P() { skip }
init { run P }
