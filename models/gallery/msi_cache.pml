// expect: holds safety
// expect: holds one_writer
// expect: holds reads_latest
/* Cache coherence: two caches that watch a bus, with the states modified, shared and invalid.
 *
 * A cache that wants to write takes the bus and makes the other copy invalid; a cache that wants to read makes the other one write
 * its modified line back. So a modified copy is the only one (`one_writer`), and every valid copy holds what was written last
 * (`reads_latest`). Leave out a line of `snoop`, and see what happens.
 */
mtype = { invalid, shared, modified };

mtype line[2] = invalid;
bit copy[2], memory, latest;

/* What the other cache does when it sees the request on the bus. */
inline snoop(other, for_writing)
{
	if
	:: line[other] == modified -> memory = copy[other]
	:: else
	fi;
	if
	:: for_writing -> line[other] = invalid; copy[other] = 0
	:: !for_writing && line[other] == modified -> line[other] = shared
	:: else
	fi
}

active [2] proctype Cache()
{
	do
	/* A read that misses. */
	:: atomic { line[_pid] == invalid -> snoop(1 - _pid, false); copy[_pid] = memory; line[_pid] = shared }
	/* A write: the line becomes ours first. */
	:: atomic { line[_pid] != modified -> snoop(1 - _pid, true); copy[_pid] = memory; line[_pid] = modified }
	:: atomic { line[_pid] == modified -> copy[_pid] = 1 - copy[_pid]; latest = copy[_pid] }
	/* The line is needed for something else. */
	:: atomic { line[_pid] != invalid ->
	   if
	   :: line[_pid] == modified -> memory = copy[_pid]
	   :: else
	   fi;
	   line[_pid] = invalid; copy[_pid] = 0 }
	od
}

ltl one_writer { [] (line[0] == modified -> line[1] == invalid) && [] (line[1] == modified -> line[0] == invalid) }
ltl reads_latest { [] ((line[0] == invalid || copy[0] == latest) && (line[1] == invalid || copy[1] == latest)) }
