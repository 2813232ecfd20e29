// expect: holds safety
// expect: states 8
// expect: transitions 7
byte x;
active proctype Low() priority 1 { assert(x == 2) }
active proctype High() priority 9 { x = 1; x = 2; set_priority(0, 10); assert(get_priority(0) == 10 && _priority == 9) }
