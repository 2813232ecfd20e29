// expect: error P0446
// says: `break` outside of a `do` or `for`
active proctype Q() { break; if :: true -> break fi }
