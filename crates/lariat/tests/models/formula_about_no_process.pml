// expect: error P0456
byte x;
active [2] proctype P() { cs: x = 1 }
proctype Q() { cs: x = 2 }
init { run Q() }
ltl fine { [] !(P[0]@cs && P[1]@cs && Q[3]@cs) }
ltl nobody { [] !(P[0]@cs && P[2]@cs) }
