/* The search on a card. What comes before this text defines the model (`lane_N`, `state_labels`, `unpack`, ...) and these macros:

   KEY_WORDS   words of a key              LANES      lanes: one for each position, and one for actions of nobody
   HOLDS       some actions hold control   RANKED     which actions can happen depends on ranks
   WHOLE       a thread takes all lanes    FAULTS     run-time errors are looked for
   PATHS       who takes part in a step, and its labels, matter: for a product, and where ways of different processes may meet
   PRODUCT     keys have a state of an automaton
   ASKS        fairness asks what is enabled in a state, of the processes ASKED_ACTORS
   OUT_LEN     how many successors are collected before they are stored

   A state is an entry of one table of whole keys. `order` lists the entries in the order in which they were found, so that the levels of
   the search are ranges of it. */

#define USED (1ull << 63)
#define PROBES 4096

/* Flags: why a launch has to be repeated. */
#define FULL 1
#define MISFIT 2
#define MANY_PUNTS 4

FN u64 *words_at(const struct Args *a, u32 number) { return (u64 *)a->at[number]; }

FN u64 entry_at(const struct Args *a, u64 index)
{
    const u64 *order = words_at(a, A_ORDER);
    return a->at[A_WIDE] ? order[index] : ((const u32 *)order)[index];
}

FN u64 mixed(u64 x)
{
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93ull;
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93ull;
    return x ^ (x >> 32);
}

FN u64 home_of(const Key *k)
{
    u64 hash = mixed(k->w[0]);
    u32 word;
    UNROLL
    for (word = 1; word < KEY_WORDS; word++)
        hash = mixed(hash ^ (k->w[word] * 0x9e3779b97f4a7c15ull));
    return hash;
}

/* A key without the marks of its words. */
FN Key key_of_words(const u64 *words)
{
    Key k;
    u32 word;
#if KEY_WORDS % 2 == 0
    UNROLL
    for (word = 0; word < KEY_WORDS; word += 2)
        load_pair64(words + word, &k.w[word]);
#else
    UNROLL
    for (word = 0; word < KEY_WORDS; word++)
        k.w[word] = words[word];
#endif
    UNROLL
    for (word = 0; word < KEY_WORDS; word++)
        k.w[word] &= ~USED;
    return k;
}
FN Key key_at(const struct Args *a, u64 entry) { return key_of_words(words_at(a, A_TABLE) + entry * KEY_WORDS); }

#define ENTRY_KNOWN 0
#define ENTRY_NEW 1
#define ENTRY_NONE 2

/* Finds the entry of a key, and makes it if it is missing and `adds` says so. Each word that is written is marked as used: who sees the
   first word before the others are written waits for these, and nothing needs to be written in order. */
FN u32 find_entry(const struct Args *a, const Key *k, u32 adds, u64 *entry)
{
    u64 *table = words_at(a, A_TABLE), mask = a->at[A_MASK], first = k->w[0] | USED, at = home_of(k) & mask;
    u32 probe = 0;
    while (probe < PROBES) {
        u64 *words = table + at * KEY_WORDS, found;
#if KEY_WORDS % 2 == 0
        u64 pair[2];
        load_volatile_pair64(words, pair);
        found = pair[0];
#else
        found = load_volatile64(words);
#endif
        if (found == 0) {
            if (!adds)
                return ENTRY_NONE;
            found = atomic_cas64(words, 0, first);
            if (found == 0) {
                u32 word;
                UNROLL
                for (word = 1; word < KEY_WORDS; word++)
                    store_volatile64(words + word, k->w[word] | USED);
                *entry = at;
                return ENTRY_NEW;
            }
#if KEY_WORDS % 2 == 0
            pair[1] = 0;
#endif
        }
        if (found == first) {
            u32 same = 1;
#if KEY_WORDS > 1
            u32 word;
            UNROLL
            for (word = 1; word < KEY_WORDS; word++) {
#if KEY_WORDS % 2 == 0
                u64 other = word == 1 ? pair[1] : 0;
#else
                u64 other = 0;
#endif
                while (other == 0)
                    other = load_volatile64(words + word);
                same &= other == (k->w[word] | USED);
            }
#endif
            if (same) {
                *entry = at;
                return ENTRY_KNOWN;
            }
        }
        at = (at + 1) & mask;
        probe++;
    }
    if (adds)
        atomic_or64(words_at(a, A_COUNTERS) + C_FLAGS, FULL);
    return ENTRY_NONE;
}

/* The keys of states that wait stand in a ring too, by their place in the order: looking them up in the table would be what a search waits
   for most. States before A_WAITING no longer wait; one for which there is no place is not in the ring. */
FN u64 *ring_words(const struct Args *a, u64 index) { return words_at(a, A_RING) + (index & a->at[A_RING_MASK]) * KEY_WORDS; }

FN void append_to_order(const struct Args *a, u64 entry, const Key *k)
{
    u64 index = append(words_at(a, A_COUNTERS) + C_STATES);
    u64 *order = words_at(a, A_ORDER);
    if (index - a->at[A_WAITING] <= a->at[A_RING_MASK]) {
        u64 *words = ring_words(a, index);
#if KEY_WORDS % 2 == 0
        u32 word;
        UNROLL
        for (word = 0; word < KEY_WORDS; word += 2)
            store_pair64(words + word, &k->w[word]);
#else
        u32 word;
        UNROLL
        for (word = 0; word < KEY_WORDS; word++)
            words[word] = k->w[word];
#endif
    }
    if (a->at[A_WIDE])
        order[index] = entry;
    else
        ((u32 *)order)[index] = (u32)entry;
}

/* What becomes of the steps that are listed. */
#define PASS_EXPLORE 0 /* States that are new are stored. */
#define PASS_FIND 1    /* Entries with a step to one key, with these marks, are noted. */
#define PASS_REACH 2   /* States of a set that steps with these marks lead to are noted, and expanded later. */
#define PASS_COUNT 3   /* Steps inside a set are counted at the states that they lead to. */
#define PASS_DROP 4    /* Steps no longer count; a state that none leads to leaves the set, and is expanded later. */
#define PASS_BACK 5    /* States of a set with a step to a state at this distance are noted as one step further. */

FN void append_to_queue(const struct Args *a, u64 entry)
{
    words_at(a, A_QUEUE)[append(words_at(a, A_COUNTERS) + C_QUEUE)] = entry;
}

/* Sets of entries are bits. */
FN u32 is_in(const struct Args *a, u32 set, u64 entry) { return ((u32 *)words_at(a, set))[entry / 32] >> (entry % 32) & 1; }
FN u32 put_in(const struct Args *a, u32 set, u64 entry)
{
    u32 bit = (u32)1 << (entry % 32);
    return atomic_or32((u32 *)words_at(a, set) + entry / 32, bit) & bit;
}
FN void take_out(const struct Args *a, u32 set, u64 entry)
{
    atomic_sub32((u32 *)words_at(a, set) + entry / 32, (u32)1 << (entry % 32));
}

FN void note_found(const struct Args *a, u64 entry)
{
    u64 place = append(words_at(a, A_COUNTERS) + C_FOUND);
    if (place < a->at[A_ENDS_ROOM])
        words_at(a, A_ENDS)[place] = entry;
}

#if PRODUCT
/* Whether a cycle may use the step: it stays in one component of the automaton, in the set, and does not ask, by the first mark of a
   pair, for what cannot be had. */
FN u32 is_usable(const struct Args *a, u64 source, u32 observer, const Key *to, u64 marks, u64 *entry)
{
    if (component_of(observer) != component_of(observer_of(to)) || component_of(observer) == NO_COMPONENT)
        return 0;
    if (a->at[A_HAD] && (asked_pairs(marks) & ~words_at(a, A_HAD)[source]))
        return 0;
    return find_entry(a, to, 0, entry) == ENTRY_KNOWN && is_in(a, A_SET, *entry);
}
#endif

/* A step leads from the entry `source`, where the automaton is in the state `observer`, to the key, with these marks. */
FN void land(const struct Args *a, u64 source, u32 observer, const Key *k, u64 marks)
{
    u64 entry = 0;
    u32 word, same = 1;
    if (a->at[A_PASS] == PASS_EXPLORE) {
        if (find_entry(a, k, 1, &entry) == ENTRY_NEW)
            append_to_order(a, entry, k);
        return;
    }
    if (a->at[A_PASS] == PASS_FIND) {
        const u64 *target = words_at(a, A_WANTED);
        UNROLL
        for (word = 0; word < KEY_WORDS; word++)
            same &= target[word] == k->w[word];
        if (same)
            note_found(a, source);
        return;
    }
#if PRODUCT
    if (!is_usable(a, source, observer, k, marks, &entry))
        return;
    switch (a->at[A_PASS]) {
    case PASS_REACH:
        if ((a->at[A_MARKS] & ~marks) == 0 && !is_in(a, A_REACHED, entry) && !put_in(a, A_REACHED, entry))
            append_to_queue(a, entry);
        break;
    case PASS_COUNT:
        atomic_add32((u32 *)words_at(a, A_COUNTS) + entry, 1);
        break;
    case PASS_DROP:
        if (atomic_sub32((u32 *)words_at(a, A_COUNTS) + entry, 1) == 1) {
            take_out(a, A_SET, entry);
            append_to_queue(a, entry);
        }
        break;
    case PASS_BACK: {
        u32 *distance = (u32 *)words_at(a, A_COUNTS);
        if (distance[entry] != (u32)a->at[A_DISTANCE])
            break;
        if (a->at[A_WANTED] == source || (a->at[A_MARKS] && (a->at[A_MARKS] & ~marks) == 0))
            note_found(a, source);
        if (distance[source] == ~(u32)0) {
            distance[source] = (u32)a->at[A_DISTANCE] + 1;
            append(words_at(a, A_COUNTERS) + C_QUEUE);
        }
        break;
    }
    }
#else
    (void)observer;
    (void)marks;
#endif
}

/* Who took part on the way to a state, which labels the way carries, and who acted. */
typedef struct Path {
    u64 parts, labels, actors;
} Path;

/* A transient state of an atomic sequence. */
typedef struct Node {
    Key key;
#if PATHS
    Path path;
#endif
    u64 before; /* Nodes on ways to this one, as bits. */
    u32 hits;   /* How many ways lead here. */
    i32 holder; /* The lane of the process that holds control. */
    u32 is_end; /* The holder can do nothing: it is an ordinary state. */
} Node;

#define NODES 64
#define MOST_HOPS 65536

typedef struct Out {
    Key key;
#if PRODUCT
    Path path;
#endif
} Out;

/* The transient states that a thread has met. */
typedef struct Walk {
    u32 met, next, roots, branched, hops, wrapped;
    i32 node; /* The present state, if it is a transient one. */
    Node nodes[NODES];
} Walk;

/* What a thread knows. Arrays stand apart: what is left can be kept in registers. */
typedef struct Context {
    const struct Args *a;
    u64 source;     /* The entry that is expanded. */
    u64 count;      /* Steps. */
    u64 enabled_labels, enabled_actors;
    i64 least;      /* Of the ranks of what is enabled. */
    u32 looks;      /* Only ranks are looked at. */
    u32 lists;      /* Only what is enabled is looked at. */
    u32 fired;      /* What could happen in the present state. */
    u32 any;        /* Whether there was a step at all. */
    u32 punts;      /* The processor has to list these steps. */
    u32 out_len;
#if PRODUCT
    u32 observer;
    u64 state_labels, source_marks;
#endif
    Out *out;
#if PATHS
    Path path;      /* To the present state. */
#endif
#if HOLDS
    Walk *walk;
#endif
} Context;

/* A value does not fit its field, or a process its position. */
OUT_OF_LINE void misfit(const struct Args *a, u32 site, i64 value)
{
    i64 *seen = (i64 *)words_at(a, A_SEEN) + 2 * site;
    atomic_min_i64(seen, value);
    atomic_max_i64(seen + 1, value);
    atomic_or64(words_at(a, A_COUNTERS) + C_FLAGS, MISFIT);
}
OUT_OF_LINE void misfit_kind(const struct Args *a, u32 position, u32 kind)
{
    atomic_or64(words_at(a, A_KINDS) + position, 1ull << kind);
    atomic_or64(words_at(a, A_COUNTERS) + C_FLAGS, MISFIT);
}

/* Something was met that is said of actions: that they are taken, or truncate a value. */
FN void note(Context *c, u32 number)
{
    u8 *noted = (u8 *)words_at(c->a, A_NOTED);
    if (!noted[number])
        noted[number] = 1;
}

/* Stores what was collected. */
FN void flush(Context *c)
{
    u32 number;
    for (number = 0; number < c->out_len; number++) {
        const Out *out = &c->out[number];
#if PRODUCT
        u64 marks = c->source_marks | marks_of_step(c->state_labels, out->path.labels, out->path.parts);
        u32 letter = letter_of(c->state_labels, out->path.labels), move;
        u32 cell = (c->observer << PROPOSITIONS) | letter;
        Key k = out->key;
        for (move = move_begins[cell]; move < move_begins[cell + 1]; move++) {
            set_observer(&k, move_targets[move]);
            land(c->a, c->source, c->observer, &k, marks | move_marks[move]);
        }
#else
        land(c->a, c->source, 0, &out->key, 0);
#endif
    }
    c->out_len = 0;
}

#if FLUSHES
OUT_OF_LINE void flush_full(Context *c) { flush(c); }
#endif

/* A step, by so many ways, leads to a state. */
FN void report(Context *c, const Key *k, Path path, u32 times)
{
    c->any = 1;
    if (c->lists) {
        c->enabled_labels |= path.labels;
        c->enabled_actors |= path.actors;
        return;
    }
#if PRODUCT
    {
        u32 cell = (c->observer << PROPOSITIONS) | letter_of(c->state_labels, path.labels);
        c->count += (u64)times * (move_begins[cell + 1] - move_begins[cell]);
    }
#else
    c->count += times;
#endif
    if (c->out_len == OUT_LEN) {
#if FLUSHES
        flush_full(c);
#else
        c->punts = 1;
        return;
#endif
    }
    c->out[c->out_len].key = *k;
#if PRODUCT
    c->out[c->out_len].path = path;
#endif
    c->out_len++;
}

#if HOLDS
FN Path path_of(const Node *node)
{
#if PATHS
    return node->path;
#else
    Path none = { 0, 0, 0 };
    (void)node;
    return none;
#endif
}

FN u32 is_node(const Node *node, const Key *k, Path path, i32 holder)
{
    u32 same = node->holder == holder, word;
    UNROLL
    for (word = 0; word < KEY_WORDS; word++)
        same &= node->key.w[word] == k->w[word];
#if PATHS
    same &= node->path.parts == path.parts && node->path.labels == path.labels;
    same &= ((node->path.actors ^ path.actors) & ASKED_ACTORS) == 0;
#else
    (void)path;
#endif
    return same;
}

#define HOLD_FOLLOWED 0
#define HOLD_PUNTED 1
#define HOLD_ENDED 2

/* An action leads to a state in which a process holds control. A state that was met is not followed again, but where it turns out to be an
   ordinary one, every way to it is a step. A way that leads back to itself is left to the processor, and so is what is too long. */
OUT_OF_LINE u32 hold(Walk *w, Key k, Path path, i32 holder, u32 fired)
{
    u64 mine = w->node < 0 ? 0 : w->nodes[w->node].before | 1ull << w->node;
    u32 number;
    if (w->wrapped)
        return HOLD_PUNTED;
    for (number = 0; number < w->met; number++) {
        Node *known = &w->nodes[number];
        if (!is_node(known, &k, path, holder))
            continue;
        if (known->is_end)
            return HOLD_ENDED;
        known->hits++;
        if (mine & ~known->before) {
            u32 other;
            for (other = 0; other < w->met; other++)
                if (other == number || (w->nodes[other].before >> number & 1))
                    w->nodes[other].before |= mine;
        }
        return mine >> number & 1 ? HOLD_PUNTED : HOLD_FOLLOWED;
    }
    if (w->met == NODES) {
        /* A way without branches may be long: of that only the last state is kept. */
        if (w->roots != 1 || w->branched || fired != 1 || w->node != NODES - 1 || w->hops > MOST_HOPS)
            return HOLD_PUNTED;
        w->wrapped = 1;
        number = 0;
    } else {
        number = w->met++;
    }
    w->nodes[number].key = k;
#if PATHS
    w->nodes[number].path = path;
#endif
    w->nodes[number].before = w->wrapped ? 0 : mine;
    w->nodes[number].hits = 1;
    w->nodes[number].holder = holder;
    w->nodes[number].is_end = 0;
    return HOLD_FOLLOWED;
}
#endif

/* An action leads to a state; afterwards the process of this lane holds control, or none does. */
FN void arrive(Context *c, const Key *k, i32 holder, u64 parts, u64 labels, u64 actors)
{
    Path path;
    path.parts = parts;
    path.labels = labels;
    path.actors = actors;
    c->fired++;
#if PATHS
    path.parts |= c->path.parts;
    path.labels |= c->path.labels;
    path.actors |= c->path.actors;
#endif
#if HOLDS
    if (holder >= 0) {
        u32 held = hold(c->walk, *k, path, holder, c->fired);
        c->punts |= held == HOLD_PUNTED;
        if (held != HOLD_ENDED)
            return;
    }
#else
    (void)holder;
#endif
    report(c, k, path, 1);
}

FN void take_lane(Context *c, Key k, u32 lane);

/* Lists what the lanes from `first` to `end` can do in a state. */
FN void list(Context *c, Key k, u32 first, u32 end)
{
    Key s = k;
    u32 from = first, to = end;
    u32 lane, phase;
#if HOLDS
    Walk *w = c->walk;
    w->met = w->next = w->roots = w->branched = w->hops = w->wrapped = 0;
    w->node = -1;
#endif
#if PATHS
    c->path.parts = c->path.labels = c->path.actors = 0;
#endif
    for (;;) {
        c->fired = 0;
#if RANKED
        c->least = NO_RANK;
        for (phase = 0; phase < 2; phase++) {
            u32 begin = phase ? from : 0, stop = phase ? to : LANES;
            c->looks = !phase;
#if HOLDS
            if (phase && w->node >= 0 && c->least >= IDLE_RANK)
                break;
#endif
            for (lane = begin; lane < stop; lane++)
                take_lane(c, s, lane);
        }
#else
        (void)phase;
#if WHOLE || HOLDS
        for (lane = from; lane < to; lane++)
            take_lane(c, s, lane);
#else
        lane = from;
        take_lane(c, s, lane);
#endif
#endif
#if !HOLDS
        return;
#else
        if (w->node < 0) {
            w->roots = w->met;
        } else if (c->fired == 0 && !c->punts) {
            Node *node = &w->nodes[w->node];
            u32 times = node->hits;
            node->is_end = 1;
            report(c, &s, path_of(node), times);
        }
        w->branched |= w->node >= 0 && c->fired > 1;
        if (w->wrapped) {
            w->met = 1;
            w->next = w->wrapped = 0;
            w->hops += NODES;
        }
        if (c->punts || w->next == w->met)
            return;
        w->node = (i32)w->next++;
        s = w->nodes[w->node].key;
        from = (u32)w->nodes[w->node].holder;
        to = from + 1;
#if PATHS
        c->path = w->nodes[w->node].path;
#endif
#endif
    }
}

FN void begin(Context *c, const struct Args *a, u64 entry, const Key *k, Out *out, Walk *walk)
{
    c->a = a;
    c->out = out;
#if HOLDS
    c->walk = walk;
#else
    (void)walk;
#endif
    c->source = entry;
    c->count = 0;
    c->enabled_labels = c->enabled_actors = 0;
    c->looks = c->lists = c->fired = c->any = c->punts = c->out_len = 0;
#if PRODUCT
    c->observer = observer_of(k);
    c->state_labels = state_labels(*k);
    c->source_marks = 0;
#else
    (void)k;
#endif
}

/* Lists the steps of a state and does with them what the pass is for. Whether there was any. */
FN u32 expand_state(Context *c, Key k, u32 first, u32 end)
{
#if ASKS
    u32 round;
    for (round = 0; round < 2; round++) {
        c->lists = !round;
        if (round)
            c->source_marks = marks_of_source(c->state_labels, c->enabled_labels, c->enabled_actors);
        list(c, k, first, end);
        if (c->punts)
            break;
    }
#else
#if PRODUCT
    c->source_marks = marks_of_source(c->state_labels, 0, 0);
#endif
    list(c, k, first, end);
#endif
    flush(c);
    return c->any;
}

/* The state `index` of the order, or of a queue, and what a thread does with it. */
FN u64 nth_entry(const struct Args *a, u64 index)
{
    return a->at[A_FROM_QUEUE] ? words_at(a, A_QUEUE)[index] : entry_at(a, index);
}

FN u32 is_expanded(const struct Args *a, u64 entry, const Key *k)
{
#if PRODUCT
    /* Passes over a set take the states of the order that are in it. */
    if (a->at[A_PASS] >= PASS_REACH && !a->at[A_FROM_QUEUE] && !is_in(a, A_SET, entry))
        return 0;
    if (bad_observer(observer_of(k)))
        return 0;
#else
    (void)a;
    (void)entry;
    (void)k;
#endif
    return 1;
}

#if HOLDS
#define WALK &walk
#else
#define WALK 0
#endif

/* Puts the keys of a launch side by side, in A_TARGET, where they are not in the ring: every lane reads them. A state that is not expanded gets no
   key, but a mark. */
KERNEL(gather)
{
    const struct Args *a = &args;
    u64 *words = words_at(a, A_TARGET) + THREAD * KEY_WORDS, entry = nth_entry(a, a->at[A_FIRST] + THREAD);
    Key k = key_at(a, entry);
    u32 word;
    if (!is_expanded(a, entry, &k))
        k.w[0] = USED;
    UNROLL
    for (word = 0; word < KEY_WORDS; word++)
        words[word] = k.w[word];
}

/* Where the keys of a launch are. */
#define FROM_TABLE 0
#define FROM_GATHERED 1
#define FROM_RING 2

KERNEL(expand)
{
    const struct Args *a = &args;
    u64 *counters = words_at(a, A_COUNTERS);
    u64 index = a->at[A_FIRST] + THREAD, entry = 0;
    Key k;
    Context context;
    Out out[OUT_LEN];
#if HOLDS
    Walk walk;
#endif
    /* While states are explored only the table asks for the entry of the source; keys of the ring are of no other pass. */
    if (a->at[A_FROM] == FROM_TABLE || a->at[A_PASS] != PASS_EXPLORE)
        entry = nth_entry(a, index);
    if (a->at[A_FROM] == FROM_TABLE) {
        k = key_at(a, entry);
        if (!is_expanded(a, entry, &k))
            return;
    } else if (a->at[A_FROM] == FROM_RING) {
        k = key_of_words(ring_words(a, index));
        if (!is_expanded(a, entry, &k))
            return;
    } else {
        const u64 *words = words_at(a, A_TARGET) + THREAD * KEY_WORDS;
        if (words[0] == USED)
            return;
        k = key_of_words(words);
    }
    begin(&context, a, entry, &k, out, WALK);
#if WHOLE
    expand_state(&context, k, 0, LANES);
#else
    expand_state(&context, k, LANE, LANE + 1);
#endif
    if (context.any || context.punts)
        ((u8 *)words_at(a, A_ALIVE))[THREAD] = 1;
    if (context.punts) {
        u64 place = append(counters + C_PUNTS);
        if (place < a->at[A_PUNTS_ROOM]) {
            words_at(a, A_PUNTS)[2 * place] = nth_entry(a, index);
            words_at(a, A_PUNTS)[2 * place + 1] = LANE;
        } else
            atomic_or64(counters + C_FLAGS, MANY_PUNTS);
        context.count = 0;
    }
    if (a->at[A_PASS] == PASS_EXPLORE)
        add_aggregated(counters + C_SPREAD + SPREAD_STRIDE * (THREAD / 32 % SPREAD), (u32)context.count);
}

/* States without steps: whether they are failures, or repeat. */
KERNEL(ends)
{
    const struct Args *a = &args;
    u64 index = a->at[A_FIRST] + THREAD, entry;
    Key k;
    if (((u8 *)words_at(a, A_ALIVE))[THREAD])
        return;
    entry = nth_entry(a, index);
    k = key_at(a, entry);
#if PRODUCT
    if (bad_observer(observer_of(&k))) {
        if (a->at[A_PASS] == PASS_EXPLORE)
            note_found(a, entry);
        return;
    }
#if STUTTERS
    if (is_expanded(a, entry, &k)) {
        Context context;
        Out out[1];
        Path none = { 0, 0, 0 };
        begin(&context, a, entry, &k, out, 0);
        context.source_marks = marks_of_source(context.state_labels, 0, 0);
        report(&context, &k, none, 1);
        flush(&context);
        if (a->at[A_PASS] == PASS_EXPLORE)
            add_aggregated(words_at(a, A_COUNTERS) + C_SPREAD, (u32)context.count);
    }
#endif
#else
    /* In other passes what is found is something else. */
    if (a->at[A_PASS] == PASS_EXPLORE && !proper_end(k))
        note_found(a, entry);
#endif
}

/* Stores keys that the processor lists: the initial states, and successors. */
KERNEL(add_keys)
{
    const struct Args *a = &args;
    const u64 *words = words_at(a, A_INPUT) + THREAD * KEY_WORDS;
    u64 entry;
    Key k;
    u32 word;
    UNROLL
    for (word = 0; word < KEY_WORDS; word++)
        k.w[word] = words[word];
    if (find_entry(a, &k, 1, &entry) == ENTRY_NEW)
        append_to_order(a, entry, &k);
}

/* Steps that the processor lists, as a source entry, the marks, and the key that it leads to. */
KERNEL(add_steps)
{
    const struct Args *a = &args;
    const u64 *words = words_at(a, A_INPUT) + THREAD * (KEY_WORDS + 2);
    Key k, from = key_at(a, words[0]);
    u32 word;
    UNROLL
    for (word = 0; word < KEY_WORDS; word++)
        k.w[word] = words[2 + word];
#if PRODUCT
    land(a, words[0], observer_of(&from), &k, words[1]);
#else
    land(a, words[0], 0, &k, words[1]);
#endif
}

/* Moves all states to a larger table, of A_INPUT words behind A_TARGET. */
KERNEL(move_entry)
{
    const struct Args *a = &args;
    u64 index = a->at[A_FIRST] + THREAD, entry = entry_at(a, index);
    Key k = key_at(a, entry);
    struct Args to = *a;
    to.at[A_TABLE] = a->at[A_TARGET];
    to.at[A_MASK] = a->at[A_INPUT];
    find_entry(&to, &k, 1, &entry);
    if (a->at[A_NEW_WIDE])
        words_at(a, A_NEW_ORDER)[index] = entry;
    else
        ((u32 *)words_at(a, A_NEW_ORDER))[index] = (u32)entry;
}

/* The keys of states, for the processor. */
KERNEL(read_keys)
{
    const struct Args *a = &args;
    u64 *words = words_at(a, A_TARGET) + THREAD * KEY_WORDS;
    Key k = key_at(a, a->at[A_INPUT] ? words_at(a, A_INPUT)[THREAD] : entry_at(a, a->at[A_FIRST] + THREAD));
    u32 word;
    UNROLL
    for (word = 0; word < KEY_WORDS; word++)
        words[word] = k.w[word];
}

/* The entries of keys, or ~0. */
KERNEL(find_keys)
{
    const struct Args *a = &args;
    const u64 *words = words_at(a, A_INPUT) + THREAD * KEY_WORDS;
    u64 entry = ~0ull;
    Key k;
    u32 word;
    UNROLL
    for (word = 0; word < KEY_WORDS; word++)
        k.w[word] = words[word];
    if (find_entry(a, &k, 0, &entry) != ENTRY_KNOWN)
        entry = ~0ull;
    words_at(a, A_TARGET)[THREAD] = entry;
}

/* The sum of the hashes of all states. */
KERNEL(digest)
{
    const struct Args *a = &args;
    u64 w[STATE_WORDS];
    unpack(key_at(a, entry_at(a, a->at[A_FIRST] + THREAD)), w);
    add_aggregated64(words_at(a, A_COUNTERS) + C_DIGEST, digest_of(w));
}

#if PRODUCT
/* Begins a set: the states that may be on a cycle that counts. */
KERNEL(begin_set)
{
    const struct Args *a = &args;
    u64 entry = entry_at(a, a->at[A_FIRST] + THREAD);
    Key k = key_at(a, entry);
    if (component_of(observer_of(&k)) != NO_COMPONENT) {
        put_in(a, A_SET, entry);
        add_aggregated(words_at(a, A_COUNTERS) + C_SET, 1);
    }
}

/* Drops the states of a set that no step of the set leads to, and queues them. */
KERNEL(drop_uncounted)
{
    const struct Args *a = &args;
    u64 entry = entry_at(a, a->at[A_FIRST] + THREAD);
    if (is_in(a, A_SET, entry) && ((u32 *)words_at(a, A_COUNTS))[entry] == 0) {
        take_out(a, A_SET, entry);
        append_to_queue(a, entry);
    }
}

/* Keeps the states of a set that were reached, and counts them. */
KERNEL(keep_reached)
{
    const struct Args *a = &args;
    u64 entry = entry_at(a, a->at[A_FIRST] + THREAD);
    if (!is_in(a, A_SET, entry))
        return;
    if (!is_in(a, A_REACHED, entry))
        take_out(a, A_SET, entry);
    else
        add_aggregated(words_at(a, A_COUNTERS) + C_SET, 1);
}

/* Notes where the second mark of a pair, the bit A_MARKS, does not lie behind a state. */
KERNEL(note_had)
{
    const struct Args *a = &args;
    u64 entry = entry_at(a, a->at[A_FIRST] + THREAD), *had = words_at(a, A_HAD) + entry;
    if (is_in(a, A_SET, entry) && !is_in(a, A_REACHED, entry) && (*had & a->at[A_MARKS])) {
        *had &= ~a->at[A_MARKS];
        add_aggregated(words_at(a, A_COUNTERS) + C_SET, 1);
    }
}

/* How many states a set has, and the first one of them. */
KERNEL(count_set)
{
    const struct Args *a = &args;
    u64 entry = entry_at(a, a->at[A_FIRST] + THREAD);
    if (is_in(a, A_SET, entry)) {
        add_aggregated(words_at(a, A_COUNTERS) + C_SET, 1);
        note_found(a, entry);
    }
}

/* The states of a set at a distance. */
KERNEL(find_distance)
{
    const struct Args *a = &args;
    u64 entry = entry_at(a, a->at[A_FIRST] + THREAD);
    if (is_in(a, A_SET, entry) && ((u32 *)words_at(a, A_COUNTS))[entry] == (u32)a->at[A_DISTANCE])
        note_found(a, entry);
}

/* The place of an entry in the order. */
KERNEL(find_index)
{
    const struct Args *a = &args;
    u64 index = a->at[A_FIRST] + THREAD;
    if (entry_at(a, index) == a->at[A_WANTED])
        note_found(a, index);
}
#endif
