// expect: error P0429
// says: did you mean `request`?
// says: did you mean `answer`?
mtype = { request, answer };
chan q = [1] of { mtype };
active proctype P() { mtype m = requst; q!anwser }
