/* Something is sent only while nothing else can happen: once there is a message, the receiver can. */
chan q = [3] of { byte };
active proctype P() { do :: timeout -> q!1 od }
active proctype Q() { do :: q?1 od }
