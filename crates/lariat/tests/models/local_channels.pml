// expect: holds safety
// expect: states 53
// expect: transitions 77
/* Every process has its own channel, and takes it along when it dies. */
byte sum;
proctype Child(byte k) { chan mine = [1] of { byte }; byte v; mine!k; mine?v; sum = sum + v; mine!9 }
init { run Child(1); run Child(2); (_nr_pr == 1); run Child(4); (_nr_pr == 1); assert(sum == 7) }
