// expect: holds np_
// expect: holds accept
// with: --property=accept --property=np_
/* A run that ends comes through nothing again and again. */
byte n;
active proctype P() { n = 1; accept_last: skip }
