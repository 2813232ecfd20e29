active proctype P(){byte y=_priority
byte l}
