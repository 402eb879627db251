// SPDX-License-Identifier: Apache-2.0
/*
 * GObject: two int properties with explicit notification, observed through
 * "notify"; frozen and thawed for P3. For P4 the idle source of GLib's main
 * loop, which is how a GLib program coalesces across threads.
 */
#ifndef BENCH_PEERS_GOBJECT_H
#define BENCH_PEERS_GOBJECT_H

#include "harness.h"

#include <glib-object.h>

namespace bench
{

/// An object of the class with the properties "age" and "size"; the other
/// fields are there for its size.
struct gobject_user {
    GObject parent;
    int age, size, weight, height;
};

gobject_user *gobject_user_new();
/// The setter that a GObject class would have.
void gobject_user_set_age(gobject_user *user, int value);

/// P1, P2, P5 and P6.
class gobject
{
  public:
    static constexpr const char *name = "GObject";

    explicit gobject(watch what, int observers = 1) : user_(gobject_user_new())
    {
        for (int i = 0; i < observers && what != watch::nothing; i++) {
            connect(what == watch::property ? "notify::age" : "notify::size");
        }
    }

    ~gobject()
    {
        g_object_unref(user_);
    }

    BENCH_SETTER void set(int value)
    {
        gobject_user_set_age(user_, value);
    }

    int get() const
    {
        return user_->age;
    }

    void add()
    {
        added_ = connect("notify::age");
    }

    void remove()
    {
        g_signal_handler_disconnect(user_, added_);
    }

    tally seen{};

  protected:
    gulong connect(const char *notified)
    {
        return g_signal_connect(user_, notified, G_CALLBACK(see), this);
    }

    static void see(gobject_user *user, GParamSpec *, gobject *self)
    {
        tally_add(&self->seen, user->age);
    }

    gobject_user *user_;
    gulong added_ = 0;
};

/// P3.
class gobject_frozen : public gobject
{
  public:
    gobject_frozen() : gobject(watch::property)
    {
    }

    void begin()
    {
        g_object_freeze_notify(&user_->parent);
    }

    void deliver()
    {
        g_object_thaw_notify(&user_->parent);
    }
};

/// P8.
struct gobject_bytes {
    static constexpr const char *name = "GObject";
    using object = gobject_user;

    static object *make()
    {
        return gobject_user_new();
    }

    static void observe(object *one, tally *seen)
    {
        g_signal_connect(one, "notify::age", G_CALLBACK(see), seen);
    }

    static void set(object *one, int value)
    {
        gobject_user_set_age(one, value);
    }

  private:
    static void see(object *one, GParamSpec *, tally *seen)
    {
        tally_add(seen, one->age);
    }
};

/// P4: the first set of a turn adds an idle source to a context of its own.
class glib_idle
{
  public:
    static constexpr const char *name = "GLib idle";

    glib_idle() : context_(g_main_context_new())
    {
    }

    ~glib_idle()
    {
        g_main_context_unref(context_);
    }

    BENCH_SETTER void set(int value)
    {
        if (value == age_) {
            return;
        }
        age_ = value;
        if (g_atomic_int_compare_and_exchange(&pending_, 0, 1)) {
            GSource *source = g_idle_source_new();
            g_source_set_callback(source, see, this, nullptr);
            g_source_attach(source, context_);
            g_source_unref(source);
        }
    }

    void deliver()
    {
        g_main_context_iteration(context_, FALSE);
    }

    int get() const
    {
        return age_;
    }

    tally seen{};

  private:
    static gboolean see(gpointer data)
    {
        glib_idle *self = static_cast<glib_idle *>(data);
        g_atomic_int_set(&self->pending_, 0);
        tally_add(&self->seen, self->age_);
        return G_SOURCE_REMOVE;
    }

    GMainContext *context_;
    int age_ = 0;
    gint pending_ = 0;
};

} // namespace bench

#endif
