/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recording which properties a piece of code reads: on one thread, by accessors
 * and the getters of a language binding. A getter asks one word of the process
 * whether anybody records at all. What a thread records is nobody else's; what it
 * does not is told to the one receiver of all threads, if there is one.
 */
#include "dispatch/reading.h"

#include "model/node.h"

#include <observable/container.h>

#include <pthread.h>

uint32_t obv_detail_reading;

struct obv_detail_reader *obv__reader_of_all;

/* How many threads have announced that they record reads. */
static uint32_t announced;

/* Of the child of a fork the other threads are no part. */
static void forget_others(void)
{
    uint32_t own = obv__thread_self()->recording != 0;
    obv__fetch_add_relaxed(&obv_detail_reading,
                           own - obv__load_relaxed(&announced));
    obv__store_relaxed(&announced, own);
}

static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, forget_others);
}

/* Relaxed, here and below: only this thread's own reads are for it. */
void obv__recording_announce(struct obv__thread *self)
{
    static pthread_once_t watches = PTHREAD_ONCE_INIT;
    pthread_once(&watches, watch_forks);
    obv__fetch_add_relaxed(&announced, 1u);
    obv__fetch_add_relaxed(&obv_detail_reading, 1u);
    self->recording = OBV__RECORDING_ANNOUNCED;
    (void)obv__thread_call_at_end(self, obv__recording_forget);
}

void obv__recording_revoke(struct obv__thread *self)
{
    self->recording = 0;
    obv__fetch_add_relaxed(&announced, UINT32_MAX);
    obv__fetch_add_relaxed(&obv_detail_reading, UINT32_MAX);
}

static void **reader_of_thread(void)
{
    return &obv__thread_self()->slots[OBV__THREAD_READER];
}

void obv_detail_reads_begin(struct obv_detail_reader *reader)
{
    void **place = reader_of_thread();
    reader->outer = *place;
    *place = reader;
    obv__fetch_add_relaxed(&obv_detail_reading, 1u);
}

void obv_detail_reads_end(struct obv_detail_reader *reader)
{
    *reader_of_thread() = reader->outer;
    obv__fetch_add_relaxed(&obv_detail_reading, UINT32_MAX);
}

void obv_detail_reads_of_all(struct obv_detail_reader *reader)
{
    /* Release, with the acquire below: who finds it finds what it leads to. */
    struct obv_detail_reader *before =
        obv__exchange_acq_rel(&obv__reader_of_all, reader);
    obv__fetch_add_relaxed(&obv_detail_reading, (uint32_t)(reader != NULL) -
                                                    (uint32_t)(before != NULL));
}

struct obv_detail_reader *obv_detail_reads_receiver(void)
{
    struct obv__thread *self = obv__thread_self();
    struct obv_detail_reader *reader = obv__reader(self);
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

/* To a reader that knows offsets alone, or to nobody. */
OBV__NOINLINE static void read_by_offset(struct obv_object *object,
                                         uint32_t property)
{
    struct obv_detail_reader *reader = obv_detail_reads_receiver();
    const struct obv_property *line =
        reader ? obv__property_in(obv__class_of(object), property) : NULL;
    if (line) {
        reader->read(reader, object, line->offset, NULL);
    }
}

void obv_detail_read_property(struct obv_object *object, uint32_t property)
{
    struct obv_detail_reader *reader = obv__reader(obv__thread_or_new());
    if (reader && reader->read_slot) {
        reader->read_slot(reader, object, property);
    } else {
        read_by_offset(object, property);
    }
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
