// A producer and a consumer among clocks that tick along. After a hundred deliveries the consumer fails. Older clocks are on
// one side and younger ones on the other: a depth-first search that lets the youngest or the oldest process run alone sees
// a million readings of the clocks for each delivery.

#define GOODS 100
#define HOURS 10

byte ticks[6], received;
chan line = [3] of { byte };

active [3] proctype Older() {
	do
	:: ticks[_pid] = (ticks[_pid] + 1) % HOURS
	od
}

active proctype Producer() {
	byte sent;
	do
	:: line ! sent -> sent = (sent + 1) % 4
	od
}

active proctype Consumer() {
	do
	:: line ? _ -> received++; assert(received < GOODS)
	od
}

active [3] proctype Younger() {
	do
	:: ticks[_pid - 2] = (ticks[_pid - 2] + 1) % HOURS
	od
}
