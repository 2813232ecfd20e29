// expect: error P0411
// says: a channel holds 0 to 255 messages, not 1000
// says: not -1
chan q = [1000] of { byte };
chan r = [-1] of { byte };
init { skip }
