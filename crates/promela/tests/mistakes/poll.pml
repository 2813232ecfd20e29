// expect: error P0100
// says: `q?[x]` asks whether it is possible
// says: `nfull(q)` asks whether there is room
chan q = [1] of {byte}; byte x;
init { if :: q?x && x > 1 -> skip fi; (q!1 && true) -> skip }
