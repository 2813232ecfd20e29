// expect: error P0100
// expect: error P0104
// says: there is no `+=`: write `x = x + 1`
// says: Promela has `if :: condition
// says: for (i : 0 .. 9)
// says: (c -> a : b)
// says: a choice is written `if ::
int x;
active proctype P() {
  x += 1;
  if (x > 3) x = 2; else x = 3;
  for (i = 0; i < 3; i++) { x = 1 }
  x = x > 1 ? 2 : 3;
  switch (x) { case 1: break; }
}
