/* Out of order from a channel that does not grow, while another does. */
mtype = { a, b };
chan q = [4] of { mtype };
chan log = [4] of { mtype };
active proctype P() { do :: q!b; q!a; q??a; q?b; log!a od }
