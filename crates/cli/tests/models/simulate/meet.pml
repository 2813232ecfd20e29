/* Two clients meet a server; the one that comes second is never served. */
chan ask = [0] of { byte };

active proctype Server() {
  byte who;
  ask?who;
  printf("serving %d\n", who)
}

active [2] proctype Client() {
  ask!_pid
}
