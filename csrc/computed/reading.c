/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recording which properties a piece of code reads: on one thread, by accessors
 * and the getters of a language binding. A getter asks one word of the process
 * whether anybody records at all. A thread's recorded reads are told to nobody
 * else; others are told to the one receiver of all threads, if there is one.
 */
#include "computed/reading.h"

#include "computed/evaluation.h"
#include "model/computed.h"
#include "model/node.h"

#include <observable/container.h>

#include <stddef.h>

struct obv_detail_reader *obv__reader_of_all;

/* Reads of this thread are told to `reader` alone until the matching end. */
static void begin_telling(struct obv__thread *self,
                          struct obv_detail_reader *reader,
                          struct obv_detail_hidden *hidden)
{
    (void)obv__pulls_of(self); /* saves the cursor in the pull */
    hidden->reader = self->slots[OBV__THREAD_READER];
    hidden->cursor = self->cursor;
    self->slots[OBV__THREAD_READER] = reader;
    self->cursor = obv__reader_cursor();
}

static void end_telling(struct obv__thread *self,
                        const struct obv_detail_hidden *hidden)
{
    self->slots[OBV__THREAD_READER] = hidden->reader;
    self->cursor = hidden->cursor;
}

void obv_detail_reads_begin(struct obv_detail_reader *reader)
{
    begin_telling(obv__thread_self(), reader, &reader->hidden);
    obv__fetch_add_relaxed(&obv_detail_reading, 1u);
}

void obv_detail_reads_end(struct obv_detail_reader *reader)
{
    end_telling(obv__thread_self(), &reader->hidden);
    obv__fetch_add_relaxed(&obv_detail_reading, UINT32_MAX);
}

static void read_nothing(struct obv_detail_reader *self,
                         struct obv_object *object, uint32_t offset,
                         const void *what)
{
    (void)self;
    (void)object;
    (void)offset;
    (void)what;
}

static void read_no_slot(struct obv_detail_reader *self,
                         struct obv_object *object, uint32_t slot)
{
    (void)self;
    (void)object;
    (void)slot;
}

void obv_detail_untracked_begin(struct obv_detail_hidden *hidden)
{
    static struct obv_detail_reader nobody = {.read = read_nothing,
                                              .read_slot = read_no_slot};
    begin_telling(obv__thread_self(), &nobody, hidden);
}

void obv_detail_untracked_end(struct obv_detail_hidden *hidden)
{
    end_telling(obv__thread_self(), hidden);
}

void obv_detail_reads_of_all(struct obv_detail_reader *reader)
{
    /* Release, pairs with the acquire in obv__reader(): the reader is whole. */
    struct obv_detail_reader *before =
        obv__exchange_acq_rel(&obv__reader_of_all, reader);
    obv__fetch_add_relaxed(&obv_detail_reading, (uint32_t)(reader != NULL) -
                                                    (uint32_t)(before != NULL));
}

/* Tells the function that runs of a read; for obv_detail_reads_receiver(),
   whose caller may know an offset alone. */
static void read_at_offset(struct obv_detail_reader *reader,
                           struct obv_object *object, uint32_t offset,
                           const void *what)
{
    const struct obv_class *cls = obv__class_or_null(object);
    uint32_t index;
    (void)reader;
    (void)what;
    if (cls && obv_class_property_at(cls, offset, &index) == OBV_OK) {
        obv_detail_read_property(object, index);
    }
}

static void read_slot(struct obv_detail_reader *reader,
                      struct obv_object *object, uint32_t slot)
{
    (void)reader;
    (void)obv__record_read(obv__thread_self(), object, slot);
}

struct obv_detail_reader *obv_detail_reads_receiver(void)
{
    static struct obv_detail_reader function = {.read = read_at_offset,
                                                .read_slot = read_slot};
    struct obv__thread *self = obv__thread_self();
    struct obv_detail_reader *reader =
        obv__computes(self) ? &function : obv__reader(self);
    if (!reader) {
        obv__recording_forget(self);
    }
    return reader;
}

void obv_detail_read(struct obv_object *object, uint32_t offset,
                     const void *what)
{
    struct obv_detail_reader *reader = obv_detail_reads_receiver();
    if (reader) {
        reader->read(reader, object, offset, what);
    }
}

/* Tells a reader that takes offsets alone, or nobody. */
static void read_by_offset(struct obv_object *object, uint32_t property)
{
    struct obv_detail_reader *reader = obv_detail_reads_receiver();
    const struct obv_property *line =
        reader ? obv__property_in(obv__class_of(object), property) : NULL;
    if (line) {
        reader->read(reader, object, line->offset, NULL);
    }
}

/* A read that is not the one expected next, or that no function does. */
OBV__NOINLINE static void read_other(struct obv__thread *self,
                                     struct obv_object *object, uint32_t slot)
{
    struct obv_detail_reader *reader = obv__reader(self);
    if (obv__computes(self)) {
        (void)obv__record_read(self, object, slot);
    } else if (reader && reader->read_slot) {
        reader->read_slot(reader, object, slot);
    } else {
        read_by_offset(object, slot);
    }
}

/* A read of a slot that is not in the node's own table (it may be in a page of
   late properties), or that is not the one expected next. */
OBV__NOINLINE static void read_far(struct obv_object *object, uint32_t property,
                                   struct obv__thread *self)
{
    struct obv__edge *edge = *self->cursor;
    struct obv_detail_node *node = obv__node(object);
    const struct obv_detail_slot *slot =
        edge && node ? obv__slot(node, property) : NULL;
    if (slot && obv__load_relaxed(&edge->source) == (uintptr_t)&slot->head) {
        self->cursor = &edge->next;
    } else {
        read_other(self, object, property);
    }
}

void obv_detail_read_property(struct obv_object *object, uint32_t property)
{
    struct obv__thread *self = obv__thread_or_new();
    struct obv__edge *edge = *self->cursor;
    /* If the object has no node, or one without slots, no list begins there. */
    uintptr_t node = obv__word(object) - OBV_DETAIL_HAS_SLOTS;
    size_t at = (size_t)property * sizeof(struct obv_detail_slot);
    OBV__OPAQUE(at); /* as in obv__slot_of_table() */
    uintptr_t near = node + offsetof(struct obv_detail_node, slots) + at;
    if (edge && obv__load_relaxed(&edge->source) == near &&
        property < ((struct obv_detail_node *)node)->slot_count) {
        self->cursor = &edge->next;
    } else {
        read_far(object, property, self);
    }
}

bool obv_detail_read_next(const struct obv_object *object, uint32_t offset)
{
    struct obv__thread *self = obv__thread_or_new();
    struct obv__edge *edge = *self->cursor;
    uintptr_t word = obv__word(object);
    if (!edge || !(word & OBV_DETAIL_HAS_SLOTS)) {
        return false;
    }
    uint32_t index = obv__class_index_at(obv__class_of_word(word), offset);
    const struct obv_detail_slot *slot =
        index != 0 ? obv__table_slot(word, index - 1) : NULL;
    bool is_next =
        slot && obv__load_relaxed(&edge->source) == (uintptr_t)&slot->head;
    if (is_next) {
        self->cursor = &edge->next;
    }
    return is_next;
}

void obv_detail_read_again(struct obv_object *object, uint32_t slot)
{
    struct obv_detail_reader *reader = obv_detail_reads_receiver();
    if (reader && reader->read_slot) {
        reader->read_slot(reader, object, slot);
    }
}

void obv_detail_read_presence(struct obv_object *object)
{
    obv_detail_read_again(object, OBV__SLOT_NONE);
}

void obv_detail_read_content(const struct obv_container *container)
{
    obv_detail_read_again((struct obv_object *)(uintptr_t)&container->object,
                          OBV__SLOT_EVERY);
}
