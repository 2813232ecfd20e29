#include "one.h"
#define SIZE (ONE + 2)
