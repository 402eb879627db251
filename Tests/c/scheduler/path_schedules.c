/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All schedules of the paths of texts: threads that ask for the path of a text,
 * keep it and give it back, while it is pushed out or all is let go of. Asserts:
 * what is answered is the path of the text, for as long as it is kept; and in the
 * end everything has been given back once.
 */
#include "path/path_cache.h"
#include "path_check.h"
#include "scheduler.h"

#include <stdio.h>
#include <string.h>

enum { RIVALS = 2 };

static struct obv_names *names;
static struct obv__path_cache cache;
/* Texts of one place. */
static char rivals[RIVALS][16];

static void find_rivals(void)
{
    int found = 0;
    for (int i = 0; found < RIVALS; i++) {
        char *text = rivals[found];
        snprintf(text, sizeof rivals[found], "p%d", i);
        size_t length;
        found += obv__path_cache_place(text, &length) ==
                 obv__path_cache_place(rivals[0], &length);
    }
}

static void give_back_path(struct obv_path *path)
{
    /* Another thread may run while it is kept. */
    SCHEDULER_POINT("kept");
    SCHEDULER_CHECK(path_check(path, names));
    obv_path_destroy(path);
}

static void check_path(const struct obv_path *path, const char *text)
{
    size_t length;
    const char *own = obv__path_text(path, &length);
    SCHEDULER_CHECK(length == strlen(text));
    SCHEDULER_CHECK(memcmp(own, text, length) == 0);
    SCHEDULER_CHECK(obv_path_elements(path)->name ==
                    obv__names_find(names, text, length));
}

static void parse(const char *text)
{
    struct obv_path *path;
    SCHEDULER_CHECK(obv__path_cache_parse(&cache, text, &path, NULL) == OBV_OK);
    check_path(path, text);
    give_back_path(path);
}

static void make_empty(void)
{
    SCHEDULER_CHECK(obv__names_create(scheduler_allocator(), &names) == OBV_OK);
    memset(&cache, 0, sizeof cache);
    obv__path_cache_init(&cache, names);
    find_rivals();
}

static void make_with_first(void)
{
    make_empty();
    parse(rivals[0]);
}

static void ask_first(void)
{
    parse(rivals[0]);
}

static void ask_first_twice(void)
{
    parse(rivals[0]);
    parse(rivals[0]);
}

static void ask_last(void)
{
    parse(rivals[RIVALS - 1]);
}

static void find_first(void)
{
    struct obv_path *path;
    SCHEDULER_CHECK(obv__path_cache_find(&cache, rivals[0], &path, NULL) ==
                    OBV_OK);
    if (obv_path_elements(path)->name != OBV_NAME_NONE) {
        check_path(path, rivals[0]);
    }
    give_back_path(path);
}

static void let_go(void)
{
    obv__path_cache_clear(&cache);
}

/* Two that keep one path give it back at once. */
static struct obv_path *kept;

static void make_kept(void)
{
    make_with_first();
    SCHEDULER_CHECK(obv__path_cache_parse(&cache, rivals[0], &kept, NULL) ==
                    OBV_OK);
    obv__path_cache_clear(&cache);
    (void)obv__path_retain(kept);
}

static void give_back_kept(void)
{
    give_back_path(kept);
}

static void check(void)
{
    obv__path_cache_clear(&cache);
    obv__names_destroy(names);
    SCHEDULER_CHECK(scheduler_live_blocks() == 0);
}

int main(int argc, char **argv)
{
    static const struct scheduler_program programs[] = {
        {"ask, ask", make_empty, {ask_first, ask_first}, check, 3, false},
        {"ask, let_go",
         make_with_first,
         {ask_first_twice, let_go},
         check,
         3,
         false},
        {"ask, push_out",
         make_with_first,
         {ask_first_twice, ask_last},
         check,
         3,
         false},
        {"find, let_go",
         make_with_first,
         {find_first, let_go},
         check,
         3,
         false},
        {"find, push_out",
         make_with_first,
         {find_first, ask_last},
         check,
         3,
         false},
        {"find, ask", make_empty, {find_first, ask_first}, check, 3, false},
        {"give_back, give_back",
         make_kept,
         {give_back_kept, give_back_kept},
         check,
         3,
         false},
        {"ask, push_out, let_go",
         make_with_first,
         {ask_first, ask_last, let_go},
         check,
         2,
         false},
    };
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        scheduler_run(&programs[i], argc, argv);
    }
    return 0;
}
