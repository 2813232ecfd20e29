// with: -D EARLY=0..1
// expect EARLY=0: holds safety
// expect EARLY=1: fails safety, assertion
/* A lock-free queue for one producer and one consumer: a ring of cells with two counters.
 *
 * The producer writes the cell before it moves `tail`, the consumer reads it before it moves `head`; so every value arrives once
 * and in order. `-D EARLY=1` moves `tail` first, as a compiler or a processor may without a barrier: the consumer reads a cell that
 * was not written.
 */
#define SIZE 2
#define VALUES 4
#ifndef EARLY
#define EARLY 0
#endif

byte cell[SIZE];
byte head, tail;

active proctype Producer()
{
	byte n = 1;

	do
	:: n <= VALUES ->
	   tail - head < SIZE;
#if EARLY
	   tail++;
	   cell[(tail - 1) % SIZE] = n;
#else
	   cell[tail % SIZE] = n;
	   tail++;
#endif
	   n++
	:: else -> break
	od
}

active proctype Consumer()
{
	byte n = 1, got;

	do
	:: n <= VALUES ->
	   head < tail;
	   got = cell[head % SIZE];
	   head++;
	   assert(got == n);
	   n++
	:: else -> break
	od
}
