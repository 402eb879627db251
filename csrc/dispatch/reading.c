/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recording which properties a piece of code reads: on one thread, by accessors
 * and the getters of a language binding. A getter asks one word of the process
 * whether anybody records at all. What a thread records is nobody else's; what it
 * does not is told to the one receiver of all threads, if there is one.
 */
#include "dispatch/loop.h"
#include "model/node.h"

#include <observable/container.h>

uint32_t obv_detail_reading;

static struct obv_detail_reader *reader_of_all;

static void **reader_of_thread(void)
{
    return &obv__thread_self()->slots[OBV__THREAD_READER];
}

void obv_detail_reads_begin(struct obv_detail_reader *reader)
{
    void **place = reader_of_thread();
    reader->outer = *place;
    *place = reader;
    /* Relaxed: only this thread's own reads are for this reader. */
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
        obv__exchange_acq_rel(&reader_of_all, reader);
    obv__fetch_add_relaxed(&obv_detail_reading, (uint32_t)(reader != NULL) -
                                                    (uint32_t)(before != NULL));
}

struct obv_detail_reader *obv_detail_reads_receiver(void)
{
    struct obv_detail_reader *reader = *reader_of_thread();
    return reader ? reader : obv__load_acquire(&reader_of_all);
}

void obv_detail_read(struct obv_object *object, uint32_t offset,
                     const void *what)
{
    struct obv_detail_reader *reader = obv_detail_reads_receiver();
    if (reader) {
        reader->read(reader, object, offset, what);
    }
}

void obv_detail_read_property(struct obv_object *object, uint32_t property)
{
    struct obv_detail_reader *reader = obv_detail_reads_receiver();
    if (reader && reader->read_slot) {
        reader->read_slot(reader, object, property);
    } else if (reader) {
        const struct obv_property *line =
            obv__property_in(obv__class_of(object), property);
        if (line) {
            reader->read(reader, object, line->offset, NULL);
        }
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
