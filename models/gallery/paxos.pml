// with: -D CARELESS=0..1
// expect CARELESS=0: holds safety
// expect CARELESS=1: fails safety, assertion
/* The core of Paxos for one value: two proposers, three acceptors, two ballots.
 *
 * An acceptor that promised a ballot answers no lower one, and a proposer takes over the value of the highest ballot that it
 * hears of. So two proposers never see different values chosen. `-D CARELESS=1` lets a proposer insist on its own value, and the
 * assertion fails.
 */
#ifndef CARELESS
#define CARELESS 0
#endif
#define ACCEPTORS 3
#define QUORUM 2

byte promised[ACCEPTORS], accepted[ACCEPTORS], value[ACCEPTORS];    /* ballots, from 1; values, from 1 */
byte chosen;

#define bit_of(i) (1 << (i))

/* Acceptor `i` promises to answer no lower ballot, and says what it has accepted. */
inline promise(i)
{
	asked = asked | bit_of(i);
	promised[i] = ballot;
	if
	:: !CARELESS && accepted[i] > highest -> highest = accepted[i]; mine = value[i]
	:: else
	fi;
	answers++
}

/* Acceptor `i` accepts the value. */
inline accept(i)
{
	asked = asked | bit_of(i);
	promised[i] = ballot;
	accepted[i] = ballot;
	value[i] = mine;
	answers++
}

#define can_promise(i) (!(asked & bit_of(i)) && promised[i] < ballot)
#define can_accept(i)  (!(asked & bit_of(i)) && promised[i] <= ballot)

/* Proposer b uses ballot b and would like to see value b chosen. It talks to the acceptors in any order; one that it never talks to
   is one whose messages were lost. It may give up at any time. */
active [2] proctype Proposer()
{
	byte ballot = _pid + 1, mine = _pid + 1;
	byte highest, answers, asked;

	do
	:: atomic { answers < QUORUM && can_promise(0) -> promise(0) }
	:: atomic { answers < QUORUM && can_promise(1) -> promise(1) }
	:: atomic { answers < QUORUM && can_promise(2) -> promise(2) }
	:: answers == QUORUM -> break
	:: goto gives_up
	od;
	d_step { answers = 0; asked = 0 };
	do
	:: atomic { answers < QUORUM && can_accept(0) -> accept(0) }
	:: atomic { answers < QUORUM && can_accept(1) -> accept(1) }
	:: atomic { answers < QUORUM && can_accept(2) -> accept(2) }
	:: answers == QUORUM -> break
	:: goto gives_up
	od;
	atomic { assert(chosen == 0 || chosen == mine); chosen = mine };
gives_up: skip
}
