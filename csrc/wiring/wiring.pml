/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A model of wiring.c for spin: one observation of `root.b.c.x`, all of whose
 * properties are for any thread.
 *
 *     root --b--> m1 --c--> l1 --x        path instances 1, 2, 3
 *                 m2 --c--> l2 --x        b       c       x
 *
 * Path instance 1 hangs at the root throughout. One thread replaces what stands
 * behind `b`, one what stands behind the `c` of either middle, one sets the `x`
 * of both leaves, one drains. Owed when all have ended: the path instances hang
 * where the values stored last lead to and nowhere else, and what was delivered
 * last is the value at the end of the path.
 *
 * Memory is TSO: a store waits in its thread's buffer, a process of its own
 * lets the oldest go; a read-modify-write waits until its thread's buffer is
 * empty. The steps carry the names that wiring.c gives them, W1 to W7.
 *
 * A set may store what the other leaf has, so the last-notified value of a
 * binding of path instance 3 (last_notified.h) is in it: a word for each.
 *
 * Not in it: that objects end (reclaim.c, and "the old object lives"), several
 * path instances below one, components, memory that fails; the marks of a slot,
 * which are not made where a path ends. And what L12 of docs/memory-model.md
 * says. (Let a call read while `b` or `c` is edited, and spin shows it.)
 *
 * Each of these faults must be found, by an assertion that fails:
 *
 *     -DFAULT_NO_NUMBER       W3 does not look whether the number has moved
 *     -DFAULT_NUMBER_FIRST    an edit moves the number before it stores
 *     -DFAULT_REBOUND         an instance bound elsewhere keeps its number
 *     -DFAULT_REBOUND_LATE    it moves the number, then is bound
 *     -DFAULT_COMPARED_EARLY  W6 before W4
 *     -DFAULT_AS_FOUND        W6 compares with what it finds in the old leaf
 *     -DFAULT_KNOWN_ALONE     it does not look whether that was last notified
 *
 *     spin -a csrc/wiring/wiring.pml && cc -O2 -DSAFETY -o pan pan.c && ./pan -m100000
 */

#define THREADS 4
#define DEPTH   4 /* of a buffer: no thread has more stores between two RMWs */

/* Words. The values at two objects are two words, of 1 and of 2. */
#define B       0  /* the middle behind root.b */
#define C(m)    (0 + (m)) /* 1, 2: the leaf behind m.c */
#define X(l)    (2 + (l)) /* 3, 4: l.x */
#define AT_C(m) (4 + (m)) /* 5, 6: path instance 2 hangs in the slot */
#define AT_X(l) (6 + (l)) /* 7, 8: path instance 3, by this binding */
#define EDITS1  9
#define EDITS2  10
#define BOUND2  11 /* where path instance 2 hangs */
#define BOUND3  12
#define PENDING 13
#define LOCK    14
#define KNOWN(k) (14 + (k)) /* 15 to 20, of a binding; 0: not yet */
#define BINDINGS 6
#define WORDS   21

byte memory[WORDS];
byte seen;   /* what was delivered last */
byte made;   /* bindings of path instance 3 */
byte editing; /* threads that edit b or c */
byte ended;

typedef buffer {
    byte count;
    byte word[DEPTH];
    byte value[DEPTH]
}
buffer buffers[THREADS];

#define EMPTY (buffers[me].count == 0)

inline store(w, v)
{
    d_step {
        assert(buffers[me].count < DEPTH);
        buffers[me].word[buffers[me].count] = w;
        buffers[me].value[buffers[me].count] = v;
        buffers[me].count++
    }
}

/* The youngest own store, else what all see. */
inline load(w, into)
{
    d_step {
        into = memory[w];
        i = 0;
        do
        :: i < buffers[me].count ->
            if
            :: buffers[me].word[i] == w -> into = buffers[me].value[i]
            :: else
            fi;
            i++
        :: else -> break
        od;
        i = 0
    }
}

inline exchange(w, v)
{
    atomic { EMPTY -> memory[w] = v }
}

inline add(w)
{
    atomic { EMPTY -> memory[w] = memory[w] + 1 }
}

inline enter()
{
    atomic { EMPTY && memory[LOCK] == 0 -> memory[LOCK] = 1 }
}

inline leave()
{
    store(LOCK, 0)
}

/* W5, of which only matters here that it is a read-modify-write. So is what
   follows it in W6, of a leaf that any thread may set. */
#define MOMENT EMPTY

/* W6: the leaves there differ. `by`: the old binding, `to`: the new one. */
inline compare(one, by, other, to)
{
#ifdef FAULT_AS_FOUND
    load(X(one), p);
    load(X(other), q);
    differs = (p != q);
#else
    load(KNOWN(by), p);
    load(KNOWN(to), q);
    differs = (p != q);
#ifndef FAULT_KNOWN_ALONE
    load(X(one), q);
    differs = (differs || p != q);
#endif
#endif
    p = 0;
    q = 0
}

/* What is stored is last notified; again where it has changed meanwhile. */
inline record(leaf, by)
{
    do
    :: load(X(leaf), p);
        load(KNOWN(by), q);
        if
        :: p == q -> break
        :: else -> exchange(KNOWN(by), p)
        fi
    od;
    p = 0;
    q = 0
}

inline tell_if_it_differs()
{
    if
    :: differs -> exchange(PENDING, 1)
    :: else
    fi;
    differs = false
}

/* W1 to W6 below path instance 2, which hangs at `m`. */
inline follow2(m)
{
    do
    :: load(EDITS2, edits); /* W1 */
        load(BOUND2, bound);
        if
        :: bound != m -> break /* that thread goes on */
        :: else
        fi;
        load(C(m), fresh); /* W2 */
        enter();           /* W3 */
        load(EDITS2, number);
        if
#ifndef FAULT_NO_NUMBER
        :: number != edits -> leave()
#endif
        :: else ->
            load(BOUND3, old);
            if
            :: old == fresh -> leave(); break
            :: else ->
                load(AT_X(old), by);
                d_step {
                    made++;
                    assert(made <= BINDINGS);
                    mine = made
                }
#ifdef FAULT_COMPARED_EARLY
                record(fresh, mine);
                compare(old, by, fresh, mine);
#endif
                store(AT_X(old), 0); /* W4 */
                store(AT_X(fresh), mine);
                store(BOUND3, fresh);
                leave();
                MOMENT; /* W5 */
#ifndef FAULT_COMPARED_EARLY
                record(fresh, mine); /* W6 */
                compare(old, by, fresh, mine);
#endif
                tell_if_it_differs();
                by = 0;
                mine = 0;
                break
            fi
        fi
    od;
    edits = 0;
    number = 0;
    bound = 0;
    fresh = 0;
    old = 0
}

/* W1 to W7 below path instance 1. */
inline follow1()
{
    do
    :: load(EDITS1, edits);
        load(B, middle);
        enter();
        load(EDITS1, number);
        if
#ifndef FAULT_NO_NUMBER
        :: number != edits -> leave()
#endif
        :: else ->
            load(BOUND2, old);
            if
            :: old == middle -> leave(); middle = 0; break
            :: else ->
#ifdef FAULT_REBOUND_LATE
                add(EDITS2);
#endif
                store(AT_C(old), 0);
                store(AT_C(middle), 1);
                store(BOUND2, middle);
                /* Behind the new binding: who noted it before begins again. */
#if !defined(FAULT_REBOUND) && !defined(FAULT_REBOUND_LATE)
                add(EDITS2);
#endif
                leave();
                MOMENT;
                break
            fi
        fi
    od;
    edits = 0;
    number = 0;
    old = 0;
    if
    :: middle != 0 -> follow2(middle) /* W7 */
    :: else
    fi;
    middle = 0
}

/* The oldest store of a buffer has become visible. */
inline shift(n)
{
    i = 1;
    do
    :: i < buffers[n].count ->
        buffers[n].word[i - 1] = buffers[n].word[i];
        buffers[n].value[i - 1] = buffers[n].value[i];
        i++
    :: else -> break
    od;
    buffers[n].count--;
    buffers[n].word[buffers[n].count] = 0;
    buffers[n].value[buffers[n].count] = 0;
    i = 0
}

#define LOCALS                                                                 \
    byte i, edits, number, bound, fresh, old, middle, p, q, by, mine, found;   \
    bool differs

/* An edit: the store, the look for watchers, the number, then W1 to W7. */
inline edit_b(m)
{
#ifdef FAULT_NUMBER_FIRST
    add(EDITS1);
    exchange(B, m);
#else
    exchange(B, m);
    add(EDITS1);
#endif
    follow1()
}

inline edit_c(m, l)
{
#ifdef FAULT_NUMBER_FIRST
    load(AT_C(m), found);
    if
    :: found -> add(EDITS2)
    :: else
    fi;
    exchange(C(m), l);
#else
    exchange(C(m), l);
    load(AT_C(m), found);
    if
    :: found -> add(EDITS2)
    :: else
    fi;
#endif
    if
    :: found -> follow2(m)
    :: else
    fi;
    found = 0
}

inline set_x(l, v)
{
    exchange(X(l), v);
    load(AT_X(l), found);
    if
    :: found ->
        record(l, found);
        exchange(PENDING, 1)
    :: else
    fi;
    found = 0
}

/* A call: not pending any more, then it reads; between the edits of what stands
   above the leaf, as G13 wants it. */
inline drain()
{
    atomic {
        EMPTY && memory[PENDING] == 1 ->
        memory[PENDING] = 0
    }
    atomic {
        editing == 0 ->
        load(BOUND3, fresh);
        load(X(fresh), p);
        seen = p;
        fresh = 0;
        p = 0
    }
}

proctype edits_b(byte me)
{
    LOCALS;
    editing++;
    edit_b(2);
    if
    :: edit_b(1)
    :: skip
    fi;
    atomic {
        EMPTY ->
        editing--;
        ended++
    }
}

proctype edits_c(byte me)
{
    LOCALS;
    byte other = 3 - memory[C(2)];
    editing++;
    if
    :: edit_c(1, 2)
    :: edit_c(2, other)
    fi;
    atomic {
        EMPTY ->
        editing--;
        ended++
    }
}

proctype sets_x(byte me)
{
    LOCALS;
    if
    :: set_x(1, 2)
    :: set_x(2, 1)
    :: set_x(1, 3)
    fi;
    atomic { EMPTY -> ended++ }
}

proctype drains(byte me)
{
    LOCALS;
    if
    :: drain()
    :: skip
    fi;
    atomic { EMPTY -> ended++ }
}

/* Lets the oldest store of some thread be seen. */
proctype flush()
{
    byte i;
end:
    do
    :: d_step {
            buffers[0].count > 0 ->
            memory[buffers[0].word[0]] = buffers[0].value[0];
            shift(0)
        }
    :: d_step {
            buffers[1].count > 0 ->
            memory[buffers[1].word[0]] = buffers[1].value[0];
            shift(1)
        }
    :: d_step {
            buffers[2].count > 0 ->
            memory[buffers[2].word[0]] = buffers[2].value[0];
            shift(2)
        }
    :: d_step {
            buffers[3].count > 0 ->
            memory[buffers[3].word[0]] = buffers[3].value[0];
            shift(3)
        }
    od
}

init
{
    byte at, leaf;
    atomic {
        memory[B] = 1;
        memory[C(1)] = 1;
        if
        :: memory[C(2)] = 1
        :: memory[C(2)] = 2
        fi;
        memory[AT_C(1)] = 1;
        memory[BOUND2] = 1;
        memory[AT_X(1)] = 1;
        made = 1;
        memory[KNOWN(1)] = 1;
        memory[X(1)] = 1;
        seen = 1;
        if
        :: memory[X(2)] = 1
        :: memory[X(2)] = 2
        fi;
        if
        :: memory[PENDING] = 1
        :: skip
        fi;
        memory[BOUND3] = 1;
        run flush();
        run edits_b(0);
        run edits_c(1);
        run sets_x(2);
        run drains(3)
    }
    d_step {
        ended == THREADS ->
        at = memory[B];
        leaf = memory[C(at)];
        assert(memory[BOUND2] == at && memory[BOUND3] == leaf);
        assert(memory[AT_C(at)] == 1 && memory[AT_C(3 - at)] == 0);
        assert(memory[AT_X(leaf)] == made && memory[AT_X(3 - leaf)] == 0);
        assert(memory[KNOWN(made)] == memory[X(leaf)]);
        /* The last drain. */
        assert(memory[PENDING] == 1 || seen == memory[X(leaf)])
    }
}
