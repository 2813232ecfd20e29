/* A medium that loses messages does not keep the channel short. */
mtype = { msg };
chan q = [1] of { mtype };
active proctype Sender() { do :: q!msg od }
active proctype Loss() { do :: q?msg od }
active proctype Receiver() { do :: q?msg -> skip od }
