// expect: error P0443
// says: no statement on the way
inline nothing() { }
init { do :: nothing() od }
