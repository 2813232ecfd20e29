// expect: holds safety
// expect: states 4
// expect: transitions 3
/* An older process lingers until the younger ones are gone. */
byte done;
proctype Short() { done = 1 }
proctype Long() { done == 1; end: false }
init { atomic { run Short(); run Long() }; end: (_nr_pr < 3) -> assert(false) }
