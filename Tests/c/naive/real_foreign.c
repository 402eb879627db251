/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Foreign objects: structs without a header word, at addresses that stay.
 */
#include "real.h"

enum { FOREIGN_I, FOREIGN_S, FOREIGN_F, FOREIGN_COUNT };

static const int8_t property_at[FOREIGN_COUNT] = {I, S, F};

static const struct obv_property foreign_properties[] = {
    [FOREIGN_I] = OBV_FIELD(real_foreign, i, i64),
    [FOREIGN_S] = OBV_FIELD(real_foreign, s, string),
    [FOREIGN_F] =
        OBV_FIELD_WITH(real_foreign, f, pointer, OBV_FOREIGN, "Foreign")};

/* The same where the program reads: the offsets say nothing. */
static struct obv_property read_properties[FOREIGN_COUNT];

static bool foreign_retain(void *address)
{
    ((struct real_foreign *)address)->references++;
    return true;
}

static void foreign_release(void *address)
{
    ((struct real_foreign *)address)->references--;
}

static void foreign_told(void *address, uint32_t property, bool is_observed)
{
    struct real_foreign *foreign = address;
    int of = property == OBV_EVERY_PROPERTY ? STAR : property_at[property];
    if ((foreign->told >> of & 1) == is_observed) {
        differ("%s is told twice that it is %sobserved",
               thing_name(address_of(address)), is_observed ? "" : "not ");
    }
    foreign->told ^= UINT64_C(1) << of;
}

static void foreign_read(const void *address,
                         const struct obv_property *property, void *value)
{
    const struct real_foreign *foreign = address;
    switch (property - read_properties) {
    case FOREIGN_I:
        *(int64_t *)value = foreign->i;
        break;
    case FOREIGN_S:
        *(const char **)value = foreign->s;
        break;
    default:
        *(void **)value = foreign->f;
        break;
    }
}

void make_foreign_class(const struct program *program)
{
    static struct obv_foreign_table table;
    bool counted = counts_foreign(program);
    for (int p = 0; p < FOREIGN_COUNT; p++) {
        read_properties[p] = foreign_properties[p];
        read_properties[p].offset = 0;
    }
    table = (struct obv_foreign_table){
        .size = sizeof table,
        .name = "Foreign",
        .properties = counted ? read_properties : foreign_properties,
        .property_count = FOREIGN_COUNT,
        .read = counted ? foreign_read : NULL,
        .retain = counted ? foreign_retain : NULL,
        .release = counted ? foreign_release : NULL,
        .observed_changed = real.tells ? foreign_told : NULL};
    EXPECT_EQ("a foreign class",
              obv_foreign_class_create(real.context, &table,
                                       &real.foreign_class, NULL),
              OBV_OK);
}

val address_of(const void *pointer)
{
    const struct real_foreign *foreign = pointer;
    return foreign ? (val)(foreign - real.foreign) + THINGS : NIL;
}

struct real_foreign *foreign_at(val address)
{
    return address < THINGS ? NULL : &real.foreign[address - THINGS];
}

/* A thing, or the proxy of an address. */
struct obv_object *root_of(int thing)
{
    return is_foreign(thing) ? foreign_at(thing)->proxy
                             : &real.thing[thing]->object;
}

/* -1: it is none. */
int number_of_root(struct obv_object *root)
{
    void *address = root ? obv_foreign_address(root) : NULL;
    return address ? address_of(address)
           : root  ? ((struct real_thing *)root)->number
                   : -1;
}

void real_register(int address)
{
    struct real_foreign *foreign = foreign_at(address);
    foreign->told = 0;
    EXPECT_EQ("register",
              obv_foreign_register(real.foreign_class, foreign, &foreign->proxy,
                                   NULL),
              OBV_OK);
}

void real_unregister(int address)
{
    struct real_foreign *foreign = foreign_at(address);
    struct obv_object *proxy = foreign->proxy;
    if (!proxy) {
        return;
    }
    foreign->proxy = NULL;
    EXPECT_EQ("unregister", obv_foreign_unregister(proxy), OBV_OK);
    if (!real.over) {
        EXPECT_EQ("references", foreign->references, 0);
    }
}

void real_write(int address, int property, val value)
{
    struct real_foreign *foreign = foreign_at(address);
    struct real_foreign before = *foreign;
    const void *old = property == I   ? (void *)&before.i
                      : property == S ? (void *)&before.s
                                      : (void *)&before.f;
    uint32_t index = property == I   ? FOREIGN_I
                     : property == S ? FOREIGN_S
                                     : FOREIGN_F;
    if (property == I) {
        foreign->i = value;
    } else if (property == S) {
        foreign->s = text_at(value);
    } else {
        foreign->f = foreign_at(value);
    }
    if (foreign->proxy) {
        EXPECT_EQ("a trigger", obv_trigger(foreign->proxy, index, old, NULL),
                  OBV_OK);
    }
}
