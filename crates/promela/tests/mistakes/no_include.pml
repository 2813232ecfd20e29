// expect: error P0011
// says: cannot include `nothing.h`
// says: needs a file name in quotes
#include "nothing.h"
#include nothing
init { skip }
