// SPDX-License-Identifier: Apache-2.0
/*
 * The GObject class of the bench: what a C programmer would write.
 */
#include "peers/gobject.h"

namespace bench
{

namespace
{

enum { PROPERTY_AGE = 1, PROPERTY_SIZE, PROPERTY_COUNT };

GParamSpec *properties[PROPERTY_COUNT];

struct user_class {
    GObjectClass parent;
};

void set_property(GObject *object, guint id, const GValue *value, GParamSpec *)
{
    gobject_user *user = reinterpret_cast<gobject_user *>(object);
    if (id == PROPERTY_AGE) {
        gobject_user_set_age(user, g_value_get_int(value));
    } else if (user->size != g_value_get_int(value)) {
        user->size = g_value_get_int(value);
        g_object_notify_by_pspec(object, properties[PROPERTY_SIZE]);
    }
}

void get_property(GObject *object, guint id, GValue *value, GParamSpec *)
{
    gobject_user *user = reinterpret_cast<gobject_user *>(object);
    g_value_set_int(value, id == PROPERTY_AGE ? user->age : user->size);
}

GParamSpec *int_property(const char *name)
{
    return g_param_spec_int(name, nullptr, nullptr, G_MININT, G_MAXINT, 0,
                            static_cast<GParamFlags>(G_PARAM_READWRITE |
                                                     G_PARAM_EXPLICIT_NOTIFY |
                                                     G_PARAM_STATIC_STRINGS));
}

void init_class(gpointer cls, gpointer)
{
    GObjectClass *object_class = static_cast<GObjectClass *>(cls);
    object_class->set_property = set_property;
    object_class->get_property = get_property;
    properties[PROPERTY_AGE] = int_property("age");
    properties[PROPERTY_SIZE] = int_property("size");
    g_object_class_install_properties(object_class, PROPERTY_COUNT, properties);
}

} // namespace

gobject_user *gobject_user_new()
{
    static const GType type = g_type_register_static_simple(
        G_TYPE_OBJECT, "BenchUser", sizeof(user_class), init_class,
        sizeof(gobject_user), nullptr, static_cast<GTypeFlags>(0));
    return static_cast<gobject_user *>(g_object_new(type, nullptr));
}

void gobject_user_set_age(gobject_user *user, int value)
{
    if (user->age == value) {
        return;
    }
    user->age = value;
    g_object_notify_by_pspec(&user->parent, properties[PROPERTY_AGE]);
}

} // namespace bench
