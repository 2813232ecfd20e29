// with: -D CREDULOUS=0..1 --fairness weak --strong-action arrives --strong-action confirmed
// expect CREDULOUS=0: holds safety
// expect CREDULOUS=0: holds progress
// expect CREDULOUS=1: fails safety, assertion
/* The alternating bit protocol: values over two channels that lose messages, each value once and in order.
 *
 * A message carries one bit, which changes with each new value; its receipt carries the same bit. The sender repeats a message until the receipt
 * with its bit has come, and the receiver takes a message with the bit that it waits for and only confirms the other. With `-D CREDULOUS=1` the
 * sender takes any receipt for its own: that of the message before, which was sent twice, and a value is lost.
 *
 * Values arrive again and again only if channels do not lose all of them: a message, or receipt, that is there again and again is
 * received again and again (`--strong-action`).
 */
#ifndef CREDULOUS
#define CREDULOUS 0
#endif
#define VALUES 3

chan forth = [1] of { bit, byte };
chan back = [1] of { bit };
bit news;                     /* changes with each value that arrives */

active proctype Sender()
{
	byte value;
	bit own, receipt;

	do
	:: forth!own, value
	:: confirmed: atomic {
		back?receipt;
		if
		:: receipt == own || CREDULOUS -> own = 1 - own; value = (value + 1) % VALUES
		:: else
		fi;
		receipt = 0
	   }
	od
}

active proctype Receiver()
{
	byte value, wanted;
	bit own, tag;

	do
	:: arrives: atomic {
		forth?tag, value;
		if
		:: tag == own -> assert(value == wanted); wanted = (wanted + 1) % VALUES; own = 1 - own; news = 1 - news
		:: else
		fi;
		value = 0
	   };
	   back!tag
	od
}

active proctype Loss()
{
	do
	:: forth?_, _
	:: back?_
	od
}

ltl progress { []<> (news == 0) && []<> (news == 1) }
