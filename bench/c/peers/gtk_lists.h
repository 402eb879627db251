// SPDX-License-Identifier: Apache-2.0
//
// P16 by GTK 4: a GListStore of objects under a GtkSortListModel or a
// GtkFilterListModel. A change of an element is told as Qt's is: by its row.
#ifndef BENCH_GTK_LISTS_H
#define BENCH_GTK_LISTS_H

#include <gtk/gtk.h>

#include <cstddef>
#include <cstdint>

namespace bench
{

struct gtk_age {
    GObject object;
    int age;
};

struct gtk_age_class {
    GObjectClass object;
};

inline GType gtk_age_type()
{
    static const GType type = g_type_register_static_simple(
        G_TYPE_OBJECT, "BenchAge", sizeof(gtk_age_class), nullptr,
        sizeof(gtk_age), nullptr, static_cast<GTypeFlags>(0));
    return type;
}

class gtk_lists
{
  public:
    gtk_lists(bool is_sorted, std::size_t count, int (*age_of)(std::uint64_t))
        : store_(g_list_store_new(gtk_age_type()))
    {
        GPtrArray *all = g_ptr_array_new_with_free_func(g_object_unref);
        for (std::size_t i = 0; i < count; i++) {
            g_ptr_array_add(all, make(age_of(i)));
        }
        g_list_store_splice(store_, 0, 0, all->pdata, all->len);
        g_ptr_array_unref(all);
        auto *source = G_LIST_MODEL(g_object_ref(store_));
        if (is_sorted) {
            auto *sorter = gtk_custom_sorter_new(by_age, nullptr, nullptr);
            shown_ = G_LIST_MODEL(
                gtk_sort_list_model_new(source, GTK_SORTER(sorter)));
        } else {
            filter_ =
                GTK_FILTER(gtk_custom_filter_new(includes, this, nullptr));
            shown_ = G_LIST_MODEL(gtk_filter_list_model_new(
                source, GTK_FILTER(g_object_ref(filter_))));
        }
    }

    ~gtk_lists()
    {
        g_object_unref(shown_);
        g_clear_object(&filter_);
        g_object_unref(store_);
    }

    gtk_lists(const gtk_lists &) = delete;
    gtk_lists &operator=(const gtk_lists &) = delete;

    void set(guint row, int age)
    {
        auto *one = static_cast<gtk_age *>(
            g_list_model_get_item(G_LIST_MODEL(store_), row));
        one->age = age;
        g_object_unref(one);
        g_list_model_items_changed(G_LIST_MODEL(store_), row, 1, 1);
    }

    void append_and_remove()
    {
        gtk_age *one = make(0);
        g_list_store_append(store_, one);
        g_object_unref(one);
        g_list_store_remove(store_,
                            g_list_model_get_n_items(G_LIST_MODEL(store_)) - 1);
    }

    std::size_t ask(int least)
    {
        least_ = least;
        gtk_filter_changed(filter_, GTK_FILTER_CHANGE_DIFFERENT);
        return count();
    }

    std::size_t count() const
    {
        return g_list_model_get_n_items(shown_);
    }

  private:
    static gtk_age *make(int age)
    {
        auto *one =
            static_cast<gtk_age *>(g_object_new(gtk_age_type(), nullptr));
        one->age = age;
        return one;
    }

    static int by_age(gconstpointer a, gconstpointer b, gpointer)
    {
        int left = static_cast<const gtk_age *>(a)->age;
        int right = static_cast<const gtk_age *>(b)->age;
        return (left > right) - (left < right);
    }

    static gboolean includes(gpointer item, gpointer self)
    {
        return static_cast<const gtk_age *>(item)->age >=
               static_cast<const gtk_lists *>(self)->least_;
    }

    GListStore *store_;
    GListModel *shown_ = nullptr;
    GtkFilter *filter_ = nullptr;
    int least_ = 0;
};

} // namespace bench

#endif
