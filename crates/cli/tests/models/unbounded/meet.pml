/* A rendezvous channel holds nothing. */
chan c = [0] of { byte };
active proctype P() { do :: c!1 od }
active proctype Q() { do :: c?1 od }
