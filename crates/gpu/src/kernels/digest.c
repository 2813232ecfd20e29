/* XXH3 (64 bits, no seed) of a state's words: what the other engines call the hash of a state. STATE_WORDS is the number of words. */

CONSTANT u8 digest_secret[192] = {
    0xb8, 0xfe, 0x6c, 0x39, 0x23, 0xa4, 0x4b, 0xbe, 0x7c, 0x01, 0x81, 0x2c, 0xf7, 0x21, 0xad, 0x1c, 0xde, 0xd4, 0x6d, 0xe9, 0x83, 0x90, 0x97, 0xdb,
    0x72, 0x40, 0xa4, 0xa4, 0xb7, 0xb3, 0x67, 0x1f, 0xcb, 0x79, 0xe6, 0x4e, 0xcc, 0xc0, 0xe5, 0x78, 0x82, 0x5a, 0xd0, 0x7d, 0xcc, 0xff, 0x72, 0x21,
    0xb8, 0x08, 0x46, 0x74, 0xf7, 0x43, 0x24, 0x8e, 0xe0, 0x35, 0x90, 0xe6, 0x81, 0x3a, 0x26, 0x4c, 0x3c, 0x28, 0x52, 0xbb, 0x91, 0xc3, 0x00, 0xcb,
    0x88, 0xd0, 0x65, 0x8b, 0x1b, 0x53, 0x2e, 0xa3, 0x71, 0x64, 0x48, 0x97, 0xa2, 0x0d, 0xf9, 0x4e, 0x38, 0x19, 0xef, 0x46, 0xa9, 0xde, 0xac, 0xd8,
    0xa8, 0xfa, 0x76, 0x3f, 0xe3, 0x9c, 0x34, 0x3f, 0xf9, 0xdc, 0xbb, 0xc7, 0xc7, 0x0b, 0x4f, 0x1d, 0x8a, 0x51, 0xe0, 0x4b, 0xcd, 0xb4, 0x59, 0x31,
    0xc8, 0x9f, 0x7e, 0xc9, 0xd9, 0x78, 0x73, 0x64, 0xea, 0xc5, 0xac, 0x83, 0x34, 0xd3, 0xeb, 0xc3, 0xc5, 0x81, 0xa0, 0xff, 0xfa, 0x13, 0x63, 0xeb,
    0x17, 0x0d, 0xdd, 0x51, 0xb7, 0xf0, 0xda, 0x49, 0xd3, 0x16, 0x55, 0x26, 0x29, 0xd4, 0x68, 0x9e, 0x2b, 0x16, 0xbe, 0x58, 0x7d, 0x47, 0xa1, 0xfc,
    0x8f, 0xf8, 0xb8, 0xd1, 0x7a, 0xd0, 0x31, 0xce, 0x45, 0xcb, 0x3a, 0x8f, 0x95, 0x16, 0x04, 0x28, 0xaf, 0xd7, 0xfb, 0xca, 0xbb, 0x4b, 0x40, 0x7e,
};

#define PRIME_A 0x9E3779B185EBCA87ull
#define PRIME_B 0xC2B2AE3D27D4EB4Full
#define PRIME_C 0x165667B19E3779F9ull
#define PRIME_D 0x85EBCA77C2B2AE63ull
#define PRIME_E 0x27D4EB2F165667C5ull
#define STATE_BYTES (8ull * STATE_WORDS)

FN u64 secret_at(u32 at)
{
    u64 value = 0;
    u32 byte;
    for (byte = 0; byte < 8; byte++)
        value |= (u64)digest_secret[at + byte] << (8 * byte);
    return value;
}

/* The product of two numbers: its halves, combined. */
FN u64 folded_product(u64 a, u64 b)
{
    u64 a0 = a & 0xffffffffull, a1 = a >> 32, b0 = b & 0xffffffffull, b1 = b >> 32;
    u64 low = a0 * b0, middle = a1 * b0 + (low >> 32), other = a0 * b1 + (middle & 0xffffffffull);
    u64 high = a1 * b1 + (middle >> 32) + (other >> 32);
    return high ^ ((other << 32) | (low & 0xffffffffull));
}

FN u64 avalanche(u64 value)
{
    value = (value ^ (value >> 37)) * 0x165667919E3779F9ull;
    return value ^ (value >> 32);
}

FN u64 pair_mixed(const u64 *w, u32 at, u32 secret)
{
    return folded_product(w[at] ^ secret_at(secret), w[at + 1] ^ secret_at(secret + 8));
}

#if STATE_WORDS == 2
FN u64 bytes_swapped(u64 value)
{
    u64 swapped = 0;
    u32 byte;
    for (byte = 0; byte < 8; byte++)
        swapped |= (value >> (8 * byte) & 255) << (56 - 8 * byte);
    return swapped;
}
#endif

#if STATE_WORDS > 30
/* Eight sums take in 64 bytes at a time. */
FN void take_stripe(u64 *sums, const u64 *w, u32 secret)
{
    u32 lane;
    for (lane = 0; lane < 8; lane++) {
        u64 keyed = w[lane] ^ secret_at(secret + 8 * lane);
        sums[lane ^ 1] += w[lane];
        sums[lane] += (keyed & 0xffffffffull) * (keyed >> 32);
    }
}
#endif

FN u64 digest_of(const u64 *w)
{
#if STATE_WORDS == 1
    u64 value = ((w[0] >> 32) | (w[0] << 32)) ^ (secret_at(8) ^ secret_at(16));
    value ^= ((value << 49) | (value >> 15)) ^ ((value << 24) | (value >> 40));
    value *= 0x9FB21C651E98DF25ull;
    value ^= (value >> 35) + STATE_BYTES;
    value *= 0x9FB21C651E98DF25ull;
    return value ^ (value >> 28);
#elif STATE_WORDS == 2
    u64 low = w[0] ^ (secret_at(24) ^ secret_at(32)), high = w[1] ^ (secret_at(40) ^ secret_at(48));
    return avalanche(STATE_BYTES + bytes_swapped(low) + high + folded_product(low, high));
#elif STATE_WORDS <= 16
    u64 sum = STATE_BYTES * PRIME_A;
#if STATE_WORDS > 12
    sum += pair_mixed(w, 6, 96) + pair_mixed(w, STATE_WORDS - 8, 112);
#endif
#if STATE_WORDS > 8
    sum += pair_mixed(w, 4, 64) + pair_mixed(w, STATE_WORDS - 6, 80);
#endif
#if STATE_WORDS > 4
    sum += pair_mixed(w, 2, 32) + pair_mixed(w, STATE_WORDS - 4, 48);
#endif
    return avalanche(sum + pair_mixed(w, 0, 0) + pair_mixed(w, STATE_WORDS - 2, 16));
#elif STATE_WORDS <= 30
    u64 sum = STATE_BYTES * PRIME_A;
    u32 pair;
    for (pair = 0; pair < 8; pair++)
        sum += pair_mixed(w, 2 * pair, 16 * pair);
    sum = avalanche(sum);
    for (; pair < STATE_WORDS / 2; pair++)
        sum += pair_mixed(w, 2 * pair, 16 * (pair - 8) + 3);
    return avalanche(sum + pair_mixed(w, STATE_WORDS - 2, 136 - 17));
#else
    u64 sums[8] = { 0xC2B2AE3Dull, PRIME_A, PRIME_B, PRIME_C, PRIME_D, 0x85EBCA77ull, PRIME_E, 0x9E3779B1ull };
    u64 result = STATE_BYTES * PRIME_A;
    /* 16 stripes are a block, after which the sums are scrambled. The last stripe ends with the state. */
    u32 stripe = 0, stripes = (STATE_WORDS - 1) / 8, lane;
    for (; stripe < stripes; stripe++) {
        if (stripe > 0 && stripe % 16 == 0)
            for (lane = 0; lane < 8; lane++)
                sums[lane] = (sums[lane] ^ (sums[lane] >> 47) ^ secret_at(128 + 8 * lane)) * 0x9E3779B1ull;
        take_stripe(sums, w + 8 * stripe, 8 * (stripe % 16));
    }
    if (stripes % 16 == 0)
        for (lane = 0; lane < 8; lane++)
            sums[lane] = (sums[lane] ^ (sums[lane] >> 47) ^ secret_at(128 + 8 * lane)) * 0x9E3779B1ull;
    take_stripe(sums, w + STATE_WORDS - 8, 192 - 64 - 7);
    for (lane = 0; lane < 8; lane += 2)
        result += folded_product(sums[lane] ^ secret_at(11 + 8 * lane), sums[lane + 1] ^ secret_at(19 + 8 * lane));
    return avalanche(result);
#endif
}
