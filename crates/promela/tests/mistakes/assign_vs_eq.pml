// expect: error P0100
// says: `==` compares; `=` assigns
byte x;
active proctype P() {
  if
  :: (x = 1) -> skip
  :: else
  fi;
  assert(x = 1)
}
