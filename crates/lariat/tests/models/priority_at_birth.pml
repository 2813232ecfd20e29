// expect: holds safety
// expect: states 22
// expect: transitions 23
/* Initial values see the priority of the process that is being created, not that of the one that creates it. */
byte x;
active proctype P() priority 3 { byte own = _priority; byte same = get_priority(0); assert(own == 3 && same == 3); x = 1 }
init { byte own = _priority; assert(own == 1); run Q() priority 5; run Q(); x = 2 }
proctype Q() { byte own = _priority; byte same = get_priority(_pid); assert(own == same && (own == 5 || own == 1)); x = own }
