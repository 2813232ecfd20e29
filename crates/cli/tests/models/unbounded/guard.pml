/* A look at the length keeps the channel short. */
chan q = [9] of { byte };
active proctype P() { do :: len(q) < 3 -> q!1 od }
