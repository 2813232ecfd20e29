/* What every source of kernels begins with. The same source is CUDA C++ for a card and C99 for this processor, where one thread does
   the work of all, so that nothing here needs to be atomic. `THREADS_PER_BLOCK` is defined before this text.

   KERNEL(name) { ... }   a kernel: the body runs once for each THREAD below THREADS in each LANE; `args.at[i]` is what `launch` was given
   FN type f(...) { ... } a function for kernels, inlined; OUT_OF_LINE type f(...) { ... } is one that is not
   THREAD, LANE           in kernels and functions; THREADS only in kernels
   CONSTANT type t[] = .. a table for kernels; UNROLL before a loop of few turns

   Atomic operations return the old value. Inside a warp some threads may have left or gone another way: what works on a whole warp
   (`append`, `add_aggregated`) works on those that are there, and they must pass the same counter. */

typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long i64;

struct Args { u64 at[32]; };

#ifdef __CUDACC__

#define FN static __device__ __forceinline__
#define OUT_OF_LINE static __device__ __noinline__
#define THREAD ((u64)blockIdx.x * THREADS_PER_BLOCK + threadIdx.x)
#define LANE ((u32)blockIdx.y)
#define THREADS lariat_threads
#define CONSTANT static __device__ const
#define UNROLL _Pragma("unroll")

#define KERNEL(name) \
    FN void name##_body(const struct Args &args, u64 lariat_threads); \
    extern "C" __global__ void __launch_bounds__(THREADS_PER_BLOCK) name(const __grid_constant__ struct Args args, u64 lariat_threads) { \
        if (THREAD < lariat_threads) name##_body(args, lariat_threads); \
    } \
    FN void name##_body(const struct Args &args, u64 lariat_threads)

FN u64 atomic_cas64(u64 *at, u64 expected, u64 desired) { return atomicCAS(at, expected, desired); }
FN u64 atomic_add64(u64 *at, u64 amount) { return atomicAdd(at, amount); }
FN u32 atomic_add32(u32 *at, u32 amount) { return atomicAdd(at, amount); }
FN u32 atomic_sub32(u32 *at, u32 amount) { return atomicSub(at, amount); }
FN u32 atomic_or32(u32 *at, u32 bits) { return atomicOr(at, bits); }
FN u64 atomic_or64(u64 *at, u64 bits) { return atomicOr(at, bits); }
FN u64 atomic_min64(u64 *at, u64 value) { return atomicMin(at, value); }
FN u64 atomic_max64(u64 *at, u64 value) { return atomicMax(at, value); }
FN i64 atomic_min_i64(i64 *at, i64 value) { return atomicMin(at, value); }
FN i64 atomic_max_i64(i64 *at, i64 value) { return atomicMax(at, value); }

FN void store_volatile64(u64 *at, u64 value) { *(volatile u64 *)at = value; }
FN u64 load_volatile64(const u64 *at) { return *(const volatile u64 *)at; }
/* Two words at an even place, read at once. Each of them is whole; that both are of the same time is not said. */
FN void load_volatile_pair64(const u64 *at, u64 *pair) {
    asm volatile("ld.volatile.v2.u64 {%0, %1}, [%2];" : "=l"(pair[0]), "=l"(pair[1]) : "l"(at) : "memory");
}
FN void load_pair64(const u64 *at, u64 *pair) {
    ulonglong2 both = *(const ulonglong2 *)at;
    pair[0] = both.x;
    pair[1] = both.y;
}
FN void store_pair64(u64 *at, const u64 *pair) { *(ulonglong2 *)at = make_ulonglong2(pair[0], pair[1]); }

/* The next index: one atomic operation for all threads of the warp. */
FN u64 append(u64 *counter) {
    u32 there = __activemask();
    u32 below = there & ((1u << (threadIdx.x & 31)) - 1);
    int leader = __ffs(there) - 1;
    u64 first = 0;
    if (below == 0) first = atomicAdd(counter, (u64)__popc(there));
    return __shfl_sync(there, first, leader) + __popc(below);
}

/* Adds the amounts of all threads of the warp, whose sum must be below 2^32. */
FN void add_aggregated(u64 *counter, u32 amount) {
    u32 there = __activemask();
    u32 below = there & ((1u << (threadIdx.x & 31)) - 1);
    u32 sum = 0;
#if __CUDA_ARCH__ >= 800
    sum = __reduce_add_sync(there, amount);
#else
    for (u32 rest = there; rest != 0; rest &= rest - 1) sum += __shfl_sync(there, amount, __ffs(rest) - 1);
#endif
    if (below == 0 && sum != 0) atomicAdd(counter, (u64)sum);
}

/* The same for sums of 64 bits. */
FN void add_aggregated64(u64 *counter, u64 amount) {
    u32 there = __activemask();
    u32 below = there & ((1u << (threadIdx.x & 31)) - 1);
    u64 sum = 0;
    for (u32 rest = there; rest != 0; rest &= rest - 1) sum += __shfl_sync(there, amount, __ffs(rest) - 1);
    if (below == 0) atomicAdd(counter, sum);
}

#else

#define FN static inline
#define OUT_OF_LINE static
#define THREAD lariat_thread
#define LANE lariat_lane
#define THREADS lariat_threads
#define CONSTANT static const
#define UNROLL
#define args (*lariat_args)

static u64 lariat_thread;
static u32 lariat_lane;

#define KERNEL(name) \
    static void name##_body(const struct Args *lariat_args, u64 lariat_threads); \
    void name(const struct Args *lariat_args, u64 lariat_threads, u32 lariat_lanes) { \
        for (lariat_lane = 0; lariat_lane < lariat_lanes; lariat_lane++) \
            for (lariat_thread = 0; lariat_thread < lariat_threads; lariat_thread++) name##_body(lariat_args, lariat_threads); \
    } \
    static void name##_body(const struct Args *lariat_args, u64 lariat_threads)

FN u64 atomic_cas64(u64 *at, u64 expected, u64 desired) { u64 old = *at; if (old == expected) *at = desired; return old; }
FN u64 atomic_add64(u64 *at, u64 amount) { u64 old = *at; *at = old + amount; return old; }
FN u32 atomic_add32(u32 *at, u32 amount) { u32 old = *at; *at = old + amount; return old; }
FN u32 atomic_sub32(u32 *at, u32 amount) { u32 old = *at; *at = old - amount; return old; }
FN u32 atomic_or32(u32 *at, u32 bits) { u32 old = *at; *at = old | bits; return old; }
FN u64 atomic_or64(u64 *at, u64 bits) { u64 old = *at; *at = old | bits; return old; }
FN u64 atomic_min64(u64 *at, u64 value) { u64 old = *at; if (value < old) *at = value; return old; }
FN u64 atomic_max64(u64 *at, u64 value) { u64 old = *at; if (value > old) *at = value; return old; }
FN i64 atomic_min_i64(i64 *at, i64 value) { i64 old = *at; if (value < old) *at = value; return old; }
FN i64 atomic_max_i64(i64 *at, i64 value) { i64 old = *at; if (value > old) *at = value; return old; }
FN void store_volatile64(u64 *at, u64 value) { *at = value; }
FN u64 load_volatile64(const u64 *at) { return *(const volatile u64 *)at; }
FN void load_volatile_pair64(const u64 *at, u64 *pair) { pair[0] = load_volatile64(at); pair[1] = load_volatile64(at + 1); }
FN void load_pair64(const u64 *at, u64 *pair) { pair[0] = at[0]; pair[1] = at[1]; }
FN void store_pair64(u64 *at, const u64 *pair) { at[0] = pair[0]; at[1] = pair[1]; }
FN u64 append(u64 *counter) { u64 old = *counter; *counter = old + 1; return old; }
FN void add_aggregated(u64 *counter, u32 amount) { *counter += amount; }
FN void add_aggregated64(u64 *counter, u64 amount) { *counter += amount; }

#endif
