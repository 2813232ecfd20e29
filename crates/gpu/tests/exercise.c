/* Kernels that use every word of `prelude.c`. `exercise.rs` says what must come out. */

FN u64 mixed(u64 x) {
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93ull;
    x ^= x >> 32;
    return x;
}

/* The number of this thread among those of all lanes. */
OUT_OF_LINE u64 place(u64 threads) { return (u64)LANE * threads + THREAD; }

KERNEL(numbers) {
    u64 *out = (u64 *)args.at[0];
    out[place(THREADS)] = mixed(THREAD) + LANE + args.at[31];
}

KERNEL(wide) {
    u64 *wide = (u64 *)args.at[0], me = place(THREADS), old;
    atomic_or64(wide, (u64)1 << (me % 63));
    atomic_min64(wide + 1, me + 5);
    atomic_max64(wide + 2, me);
    if (atomic_cas64(wide + 3, 0, me + 1) == 0) wide[4] = me + 1;
    old = atomic_add64(wide + 5, 2);
    ((u8 *)args.at[1])[old / 2] += 1;
}

KERNEL(narrow) {
    u32 *narrow = (u32 *)args.at[0];
    i64 *negative = (i64 *)args.at[1], me = (i64)place(THREADS);
    atomic_add32(narrow, 3);
    atomic_sub32(narrow + 1, 2);
    atomic_or32(narrow + 2, 1u << (me % 31));
    atomic_min_i64(negative, -me);
    atomic_max_i64(negative + 1, me - 10000);
}

/* Threads of a warp part here, and each part works together. */
KERNEL(together) {
    u64 *counters = (u64 *)args.at[0], *list = (u64 *)args.at[1], me = place(THREADS);
    if (mixed(me) % 3 == 0) {
        list[append(counters)] = me;
    } else {
        add_aggregated(counters + 1, (u32)(me % 7));
        if (me % 2 == 0) add_aggregated(counters + 2, 1);
    }
}

/* Of each pair of words, the sum, by both ways to read them at once; and a pair written at once. */
KERNEL(pairs) {
    const u64 *words = (const u64 *)args.at[0];
    u64 *sums = (u64 *)args.at[1], me = place(THREADS), pair[2], same[2];
    load_pair64(words + me / 2 * 2, pair);
    load_volatile_pair64(words + me / 2 * 2, same);
    same[0] = pair[0] + pair[1] + (same[0] ^ pair[0]) + (same[1] ^ pair[1]);
    same[1] = same[0];
    if (me % 4 < 2)
        store_volatile64(sums + me, same[0]);
    else if (me % 2 == 0)
        store_pair64(sums + me, same);
}
