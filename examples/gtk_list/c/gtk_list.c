/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A list of GTK 4 over an observable array: rows come, go and move by recorded
 * edits, and a row's label follows its song's title.
 *
 *     gtk_list            a window with buttons that edit the array
 *     gtk_list --check    edits it by itself, and prints what the rows show
 */
#include <gtk/gtk.h>
#include <observable/edit_list.h>
#include <observable/observable.h>
#include <observable_loops/glib.h>

/* --- the model, which knows nothing of GTK ------------------------------- */

struct song {
    struct obv_object object;
    const char *title;
};
#define SONG(P) P(song, title, string)
OBV_MODEL(song, SONG)

static const char *const titles[] = {"Blue", "Rain", "Dawn", "Home", "Moon"};
enum { SONGS = G_N_ELEMENTS(titles) };

static struct song songs[SONGS];
static struct obv_array *playlist;

static void require(enum obv_status status)
{
    if (status) {
        g_error("%s", obv_status_text(status));
    }
}

static void make_model(void)
{
    static const struct obv_collection_kind playlists = {
        .size = sizeof playlists,
        .name = "playlist",
        .element = OBV_KIND_object};
    struct obv_class *song_class, *playlist_class;
    require(obv_class_create(NULL, &song_table, &song_class, NULL));
    for (int i = 0; i < SONGS; i++) {
        obv_object_init(&songs[i].object, song_class);
        song_set_title(&songs[i], titles[i]);
    }
    require(obv_array_class_create(NULL, &playlists, &playlist_class, NULL));
    require(obv_array_create(playlist_class, &playlist, NULL));
}

static int by_title(const void *a, const void *b, void *argument)
{
    (void)argument;
    return strcmp(song_title(*(struct song *const *)a),
                  song_title(*(struct song *const *)b));
}

/* --- 1. its changes come in GTK's own loop ------------------------------- */

static void deliver_in_main_loop(void)
{
    GSource *source;
    require(obv_glib_source(obv_context_loop(NULL), &source));
    g_source_attach(source, NULL);
    g_source_unref(source);
}

/* --- 2. an array as rows: a GListModel ------------------------------------ */

struct rows {
    GListStore *store; /* an object for each element, which knows its song */
    struct obv_edit_list *edits;
    struct obv_observation *observation;
    size_t removed, inserted, moved; /* of the last call */
};

static GObject *make_row(struct song *song)
{
    GObject *row = g_object_new(G_TYPE_OBJECT, NULL);
    g_object_set_data(row, "song", song);
    return row;
}

static struct song *song_of(GObject *row)
{
    return g_object_get_data(row, "song");
}

/* The rows of elements that have moved go with them: by where they stand now. */
static GObject **take_moved(struct rows *rows, const struct obv_edits *edits)
{
    GObject **moved = g_new0(GObject *, obv_array_count(playlist) + 1);
    for (size_t i = 0; i < edits->run_count; i++) {
        const struct obv_edit_run *run = &edits->runs[i];
        if (run->before == OBV_NOWHERE || run->now == OBV_NOWHERE) {
            continue;
        }
        for (size_t k = 0; k < run->count; k++) {
            moved[run->now + k] = g_list_model_get_item(
                G_LIST_MODEL(rows->store), (guint)(run->before + k));
            rows->moved++;
        }
    }
    return moved;
}

static void splice(struct rows *rows, const struct obv_splice *splice,
                   GObject **moved)
{
    for (size_t i = splice->now; i < splice->now + splice->inserted; i++) {
        if (!moved[i]) {
            moved[i] = make_row((struct song *)obv_array_at(playlist, i));
        }
    }
    g_list_store_splice(rows->store, (guint)splice->now, (guint)splice->removed,
                        (gpointer *)&moved[splice->now],
                        (guint)splice->inserted);
    rows->removed += splice->removed;
    rows->inserted += splice->inserted;
}

static void show_edits(void *observer, struct obv_object *root,
                       const struct obv_call *call)
{
    struct rows *rows = observer;
    struct obv_edits edits;
    (void)root;
    (void)call;
    require(obv_edit_list_take(rows->edits, &edits, NULL));
    GObject **moved = take_moved(rows, &edits);
    for (size_t i = 0; i < edits.splice_count; i++) {
        splice(rows, &edits.splices[i], moved);
    }
    for (size_t i = 0; i < obv_array_count(playlist); i++) {
        g_clear_object(&moved[i]);
    }
    g_free(moved);
    obv_edits_deinit(&edits);
}
static const struct obv_handler_kind showing_edits = {.changed = show_edits};

static void follow_array(struct rows *rows)
{
    rows->store = g_list_store_new(G_TYPE_OBJECT);
    require(
        obv_edit_list_create(NULL, &playlist->container, &rows->edits, NULL));
    require(obv_observe(&playlist->container.object, "*", &showing_edits, rows,
                        &rows->observation, NULL));
}

static void end_rows(struct rows *rows)
{
    obv_stop(rows->observation);
    obv_release(rows->observation);
    obv_edit_list_release(rows->edits);
    g_object_unref(rows->store);
}

/* --- 3. a row's label follows the title ----------------------------------- */

static void show_title(void *label, struct obv_object *root,
                       const struct obv_call *call)
{
    (void)call;
    gtk_label_set_text(label, song_title((struct song *)root));
}
static const struct obv_handler_kind showing_title = {.changed = show_title};

static void set_up(GtkSignalListItemFactory *factory, GtkListItem *item)
{
    (void)factory;
    gtk_list_item_set_child(item, gtk_label_new(NULL));
}

static void bind(GtkSignalListItemFactory *factory, GtkListItem *item)
{
    struct song *song = song_of(gtk_list_item_get_item(item));
    GtkWidget *label = gtk_list_item_get_child(item);
    struct obv_observation *title;
    (void)factory;
    gtk_label_set_text(GTK_LABEL(label), song_title(song));
    require(obv_observe(&song->object, "title", &showing_title, label, &title,
                        NULL));
    g_object_set_data(G_OBJECT(item), "title", title);
}

static void unbind(GtkSignalListItemFactory *factory, GtkListItem *item)
{
    struct obv_observation *title =
        g_object_steal_data(G_OBJECT(item), "title");
    (void)factory;
    obv_stop(title);
    obv_release(title);
}

static GtkWidget *make_list(struct rows *rows)
{
    GtkListItemFactory *factory = gtk_signal_list_item_factory_new();
    g_signal_connect(factory, "setup", G_CALLBACK(set_up), NULL);
    g_signal_connect(factory, "bind", G_CALLBACK(bind), NULL);
    g_signal_connect(factory, "unbind", G_CALLBACK(unbind), NULL);
    GtkSingleSelection *selection =
        gtk_single_selection_new(G_LIST_MODEL(g_object_ref(rows->store)));
    return gtk_list_view_new(GTK_SELECTION_MODEL(selection), factory);
}

/* --- the window ----------------------------------------------------------- */

static void add(void)
{
    struct song *song = &songs[obv_array_count(playlist) % SONGS];
    require(obv_array_append(playlist, song));
}

static void remove_first(void)
{
    if (obv_array_count(playlist) != 0) {
        require(obv_array_remove(playlist, 0));
    }
}

static void sort(void)
{
    require(obv_array_sort(playlist, by_title, NULL));
}

static void turn_round(void)
{
    require(obv_array_reverse(playlist));
}

static GtkWidget *make_window(GtkWidget *list)
{
    static const struct {
        const char *text;
        void (*edit)(void);
    } edits[] = {{"Add", add},
                 {"Remove the first", remove_first},
                 {"Sort", sort},
                 {"Turn round", turn_round}};
    GtkWidget *window = gtk_window_new();
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6);
    for (size_t i = 0; i < G_N_ELEMENTS(edits); i++) {
        GtkWidget *button = gtk_button_new_with_label(edits[i].text);
        g_signal_connect(button, "clicked", G_CALLBACK(edits[i].edit), NULL);
        gtk_box_append(GTK_BOX(box), button);
    }
    gtk_widget_set_vexpand(list, TRUE);
    gtk_box_append(GTK_BOX(box), list);
    gtk_window_set_child(GTK_WINDOW(window), box);
    gtk_window_set_default_size(GTK_WINDOW(window), 300, 500);
    gtk_window_present(GTK_WINDOW(window));
    return window;
}

/* --- what the rows show --------------------------------------------------- */

/* The label of a row, from one child to the next. */
static const char *next_label(GtkWidget **row)
{
    for (; *row; *row = gtk_widget_get_next_sibling(*row)) {
        GtkWidget *label = gtk_widget_get_first_child(*row);
        if (GTK_IS_LABEL(label) && gtk_widget_get_mapped(*row)) {
            *row = gtk_widget_get_next_sibling(*row);
            return gtk_label_get_text(GTK_LABEL(label));
        }
    }
    return NULL;
}

static gboolean shows_array(GtkWidget *list)
{
    GtkWidget *row = gtk_widget_get_first_child(list);
    for (size_t i = 0; i < obv_array_count(playlist); i++) {
        const char *text = next_label(&row);
        const struct song *song = obv_array_at(playlist, i);
        if (!text || strcmp(text, song_title(song)) != 0) {
            return FALSE;
        }
    }
    return next_label(&row) == NULL;
}

static gboolean wake_up(gpointer data)
{
    (void)data;
    return G_SOURCE_CONTINUE;
}

/* Turns the loop until the rows show what stands in the array. */
static void check(GtkWidget *list, struct rows *rows, const char *edit)
{
    gint64 end = g_get_monotonic_time() + 20 * G_TIME_SPAN_SECOND;
    while (!shows_array(list) && g_get_monotonic_time() < end) {
        g_main_context_iteration(NULL, TRUE);
    }
    GtkWidget *row = gtk_widget_get_first_child(list);
    g_print("%s:", edit);
    for (const char *text; (text = next_label(&row)) != NULL;) {
        g_print(" %s", text);
    }
    g_print("  (-%d +%d, %d of them moved)\n", (int)rows->removed,
            (int)rows->inserted, (int)rows->moved);
    rows->removed = rows->inserted = rows->moved = 0;
}

static void edit_by_itself(GtkWidget *list, struct rows *rows)
{
    struct song *const first[] = {&songs[0], &songs[1], &songs[2]};
    guint waking = g_timeout_add(5, wake_up, NULL);
    require(obv_array_assign(playlist, first, 3));
    check(list, rows, "three come");
    require(obv_array_insert(playlist, 0, &songs[3]));
    require(obv_array_append(playlist, &songs[4]));
    check(list, rows, "one in front, one behind");
    song_set_title(&songs[1], "Summer rain");
    check(list, rows, "another title");
    sort();
    check(list, rows, "sorted");
    require(obv_array_move(playlist, 4, 1, 0));
    require(obv_array_remove(playlist, 2));
    check(list, rows, "the last in front, one gone");
    require(obv_array_append(playlist, &songs[0]));
    require(obv_array_remove(playlist, obv_array_count(playlist) - 1));
    song_set_title(&songs[3], "Dusk");
    check(list, rows, "there and back, and a title");
    require(obv_array_clear(playlist));
    check(list, rows, "all gone");
    g_source_remove(waking);
}

int main(int count, char **words)
{
    struct rows rows = {0};
    gtk_init();
    deliver_in_main_loop();
    make_model();
    follow_array(&rows);
    GtkWidget *list = make_list(&rows), *window = make_window(list);
    if (count > 1 && strcmp(words[1], "--check") == 0) {
        edit_by_itself(list, &rows);
        gtk_window_destroy(GTK_WINDOW(window));
    } else {
        while (g_list_model_get_n_items(gtk_window_get_toplevels()) > 0) {
            g_main_context_iteration(NULL, TRUE);
        }
    }
    end_rows(&rows);
    obv_array_release(playlist);
    for (int i = 0; i < SONGS; i++) {
        obv_object_deinit(&songs[i].object);
    }
}
