/* Nobody takes anything out of the channels, so the third message finds no room. */
mtype = { red, green };
chan q = [2] of { mtype, byte };

active proctype P() {
  chan own = [1] of { byte };
  own!7;
  q!red(1);
  q!green(2);
  q!red(3)
}
