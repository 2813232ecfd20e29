/* Types, and arithmetic as systems have it. */

typedef int i32;

typedef struct Key {
    u64 w[KEY_WORDS];
} Key;

/* Cut towards 0; 0 if the divisor is 0, or the quotient does not fit. */
FN i64 quotient(i64 a, i64 b)
{
    if (b == 0 || (b == -1 && a == -0x7fffffffffffffffll - 1))
        return 0;
    return a / b;
}
FN i64 remainder_of(i64 a, i64 b)
{
    if (b == 0 || b == -1)
        return 0;
    return a % b;
}

/* Numbers of 64 bits, given as a high and a low half. */
FN u64 joined(i64 high, i64 low) { return (u64)(u32)high << 32 | (u64)(u32)low; }
FN u64 wide_product(i64 ah, i64 al, i64 bh, i64 bl) { return joined(ah, al) * joined(bh, bl); }
FN u64 wide_quotient(i64 ah, i64 al, i64 bh, i64 bl)
{
    u64 by = joined(bh, bl);
    return by == 0 ? 0 : joined(ah, al) / by;
}
FN u64 wide_remainder(i64 ah, i64 al, i64 bh, i64 bl)
{
    u64 by = joined(bh, bl);
    return by == 0 ? 0 : joined(ah, al) % by;
}

