// expect: fails has_room
// expect: fails poll
// expect: holds guarded
/* A variable that holds no channel has no length. */
chan c, d = [1] of { byte };
bit given;
active proctype P() { c = d; given = 1; do :: d!1; d?1 od }
ltl has_room { [] (len(c) <= 1) }
ltl poll { [] !(c?[2]) }
ltl guarded { [] (given -> len(c) <= 1) }
