#include "parts/size.h"
byte x = SIZE;
active proctype P() { assert(x == WANTED) }
