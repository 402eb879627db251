/* SPDX-License-Identifier: Apache-2.0 */
/* Settings are saved when any of them has changed: `*` is every property, also
   those that somebody adds next year. */
#include <observable/observable.h>
#include <stdio.h>

/* 1. Settings, some of which are in an object of their own. */
struct window {
    struct obv_object object;
    int32_t width;
    int32_t height;
};
struct settings {
    struct obv_object object;
    struct window *window;
    int32_t volume;
};
#define WINDOW(P)   P(window, width, i32) P(window, height, i32)
#define SETTINGS(P) P(settings, window, object) P(settings, volume, i32)
OBV_MODEL(window, WINDOW)
OBV_MODEL(settings, SETTINGS)

static void save_settings(void *observer, struct obv_object *root,
                          const struct obv_call *call)
{
    const struct settings *settings = (struct settings *)root;
    const struct window *window = settings_window(settings);
    (void)observer;
    (void)call;
    printf("  saved: volume %d, window %d x %d\n", settings_volume(settings),
           window_width(window), window_height(window));
}
static const struct obv_handler_kind save = {.changed = save_settings};

int main(void)
{
    struct obv_class *window_class, *settings_class;
    if (obv_class_create(NULL, &window_table, &window_class, NULL) ||
        obv_class_create(NULL, &settings_table, &settings_class, NULL)) {
        return 1;
    }
    struct window window = {.width = 800, .height = 600};
    struct settings settings = {.window = &window, .volume = 5};
    obv_object_init(&window.object, window_class);
    obv_object_init(&settings.object, settings_class);

    /* 2. `*` is the settings' own properties; what is inside the window is
          reached by a second path. */
    const struct obv_pair pairs[] = {{&settings.object, "*"},
                                     {&settings.object, "window.*"}};
    if (obv_observe_pairs(pairs, 2, &save, NULL, NULL, NULL, NULL)) {
        return 1;
    }

    /* 3. Whatever changes: saved once. */
    settings_set_volume(&settings, 7);
    puts("the volume is turned up");
    obv_loop_drain(obv_context_loop(NULL));
    window_set_width(&window, 1024);
    window_set_height(&window, 768);
    puts("the window is resized");
    obv_loop_drain(obv_context_loop(NULL));

    obv_object_deinit(&settings.object);
    obv_object_deinit(&window.object);
}
