// expect: holds safety
// expect: holds exclusive
// expect: fails writer_gets_in
// with: --fairness=weak
/* Readers and writers: any number of readers, or one writer, under a lock that prefers readers.
 *
 * A writer never works beside anybody else (`exclusive`). Readers that come again and again keep a writer out for ever, also under weak
 * fairness: `writer_gets_in` fails, and the run shows two readers who take turns.
 */
byte readers;
bool writing;
bool wants;

active [2] proctype Reader()
{
	do
	:: atomic { !writing -> readers++ };
	   readers--
	od
}

active proctype Writer()
{
	do
	:: wants = true;
	   atomic { readers == 0 -> writing = true; wants = false };
	   writing = false
	od
}

ltl exclusive { [] !(writing && readers > 0) }
ltl writer_gets_in { [] (wants -> <> writing) }
