/* SPDX-License-Identifier: Apache-2.0 */
/* A loop that writes many times can write into the field itself, where nobody
   is told. One trigger at its end does what one set would have done. */
#include <observable/observable.h>
#include <stdio.h>

struct document {
    struct obv_object object;
    int32_t words;
};
#define DOCUMENT(P) P(document, words, i32)
OBV_MODEL(document, DOCUMENT)

/* 1. Keep the former value, write into the field, trigger with the former
      value. OBV_MODEL has made the property's number, too. */
static void count_words(struct document *document, const char *text)
{
    const int32_t before = document->words;
    bool in_word = false;
    document->words = 0;
    for (; *text; text++) {
        if (*text != ' ' && !in_word) {
            document->words++;
        }
        in_word = *text != ' ';
    }
    obv_trigger(&document->object, document_property_words, &before, NULL);
}

static void show_words(void *observer, struct obv_object *root,
                       const struct obv_call *call)
{
    (void)observer;
    (void)call;
    printf("  %d words\n", document_words((struct document *)root));
}
static const struct obv_handler_kind show = {.changed = show_words};

int main(void)
{
    struct obv_class *document_class;
    if (obv_class_create(NULL, &document_table, &document_class, NULL)) {
        return 1;
    }
    struct document document = {0};
    obv_object_init(&document.object, document_class);
    if (obv_observe(&document.object, "words", &show, NULL, NULL, NULL)) {
        return 1;
    }

    /* 2. One change, however often the field was written. */
    count_words(&document, "once upon a time");
    puts("a text is counted");
    obv_loop_drain(obv_context_loop(NULL));

    /* 3. As many words as before: no change, though it was 0 in between. */
    count_words(&document, "in a far country");
    puts("another text is counted");
    obv_loop_drain(obv_context_loop(NULL));

    obv_object_deinit(&document.object);
}
