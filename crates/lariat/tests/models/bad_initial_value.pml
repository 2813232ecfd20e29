// expect: error P0503
/* Nothing can happen before the first processes live, so this is a mistake of the model. */
byte a[3]; byte i = 7;
active proctype P() { byte y = a[i]; assert(y == 0) }
