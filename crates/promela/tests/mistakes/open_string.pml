// expect: error P0002
// says: this string does not end on its line
init { printf("hello); skip }
