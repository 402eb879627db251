/* SPDX-License-Identifier: Apache-2.0 */
/* An object of another library has no room for a header word. It is registered
   by its address, and told of by a trigger when it has changed. */
#include <observable/observable.h>
#include <stdio.h>

/* Another library's; it cannot be changed. */
struct download {
    int32_t done, total;
};

/* 1. What may be observed of it: a line for each field. */
enum { DOWNLOAD_DONE, DOWNLOAD_TOTAL };
static const struct obv_property download_properties[] = {
    [DOWNLOAD_DONE] = OBV_FIELD(download, done, i32),
    [DOWNLOAD_TOTAL] = OBV_FIELD(download, total, i32)};
static const struct obv_foreign_table download_table = {
    .size = sizeof download_table,
    .name = "download",
    .properties = download_properties,
    .property_count = 2};

/* 2. A model that leads to it: the pointer has the flag OBV_FOREIGN. */
struct window {
    struct obv_object object;
    struct download *download;
};
OBV_PROPERTY(window, download, pointer, 0)
static const struct obv_property window_properties[] = {
    OBV_FIELD_WITH(window, download, pointer, OBV_FOREIGN, "download")};
static const struct obv_class_table window_table = {
    .size = sizeof window_table,
    .name = "window",
    .instance_size = sizeof(struct window),
    .properties = window_properties,
    .property_count = 1};

static void show_done(void *observer, struct obv_object *root,
                      const struct obv_call *call)
{
    const struct download *download =
        window_download((const struct window *)root);
    (void)observer;
    (void)call;
    if (download) {
        printf("  %d of %d\n", download->done, download->total);
    } else {
        puts("  nothing is downloaded");
    }
}
static const struct obv_handler_kind show = {.changed = show_done};

static void deliver(const char *what_has_happened)
{
    puts(what_has_happened);
    obv_loop_drain(obv_context_loop(NULL));
}

int main(void)
{
    struct obv_class *download_class, *window_class;
    struct obv_object *proxy;
    struct download download = {.done = 0, .total = 4};
    struct window window = {.download = NULL};
    if (obv_foreign_class_create(NULL, &download_table, &download_class,
                                 NULL) ||
        obv_class_create(NULL, &window_table, &window_class, NULL)) {
        return 1;
    }
    obv_object_init(&window.object, window_class);
    if (obv_observe(&window.object, "download.done", &show, NULL, NULL, NULL) ||
        obv_foreign_register(download_class, &download, &proxy, NULL)) {
        return 1;
    }

    /* 3. The path leads on from the model to the registered object, which has a
          proxy. */
    window_set_download(&window, &download);
    deliver("a download begins");

    /* 4. The other library changes it; the program tells. The value before, if
          it is known, lets an equal one be no change. */
    int32_t before = download.done;
    download.done = 1;
    obv_trigger(proxy, DOWNLOAD_DONE, &before, NULL);
    deliver("a part has come");
    before = download.done;
    obv_trigger(proxy, DOWNLOAD_DONE, &before, NULL);
    deliver("nothing has come");

    /* 5. Before its memory goes. */
    window_set_download(&window, NULL);
    obv_foreign_unregister(proxy);
    deliver("the download ends");

    obv_object_deinit(&window.object);
}
