// expect: fails safety, channel, trace = 1
// expect: states 1
// expect: transitions 0
/* A channel variable that holds no channel. */
chan c;
active proctype P() { c!1 }
