// expect: holds safety
// expect: states 3
// expect: transitions 2
init { byte a[2] = { 3, 4 }; byte b = a[1]; assert(b == 4) }
