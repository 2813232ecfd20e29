// expect: holds safety
// expect: states 12
// expect: transitions 12
byte r;
proctype Q() { r = 2 }
init {
  _ = 3;
  if
  :: _ = r -> r = 1
  :: else -> r = 5
  fi;
  d_step { _ = r; r = 3 }
  atomic { _ = 4; r = 0 }
  _ = run Q();
  r == 2
}
