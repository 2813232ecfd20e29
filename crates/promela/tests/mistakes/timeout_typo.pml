// expect: error P0429
// says: did you mean `timeout`?
init { do :: tiemout -> break od }
