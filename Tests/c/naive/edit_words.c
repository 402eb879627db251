/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The edits of scripts: what each word says depends on what the container has
 * when it is executed. What is told of it is what the three ready-made
 * containers tell.
 */
#include "model.h"

#include <string.h>

static void demand(bool condition, const char *why)
{
    if (!condition) {
        reject(why);
    }
}

static void add_edit(struct command *told, struct list_edit edit)
{
    demand(told->edits < EDITS, "too many edits");
    told->edit[told->edits++] = edit;
}

/* Lists ------------------------------------------------------------------- */

static void exchange(int8_t *order, int a, int b)
{
    int8_t at = order[a];
    order[a] = order[b];
    order[b] = at;
}

/* Keeps the order of what is equal. */
static void order_by_i(struct list_edit *order, const val *items)
{
    for (int i = 0; i < order->moved; i++) {
        int before = 0;
        for (int o = 0; o < order->moved; o++) {
            val other = world.thing[items[o]].value[I];
            val own = world.thing[items[i]].value[I];
            before += other < own || (other == own && o < i);
        }
        order->item[i] = (int8_t)before;
    }
}

/* As the scripts' runner in C does it. */
static void shuffle(struct list_edit *order)
{
    uint32_t state = 1;
    for (int i = order->moved; i > 1; i--) {
        state = state * 1664525U + 1013904223U;
        exchange(order->item, i - 1, (int)((state >> 16) % (unsigned)i));
    }
}

static void swap(struct list_edit *order, int a, int b)
{
    demand(a < order->moved && b < order->moved, "past the end");
    exchange(order->item, a, b);
}

static struct list_edit order_of(int list, const struct command *command)
{
    struct list_edit order = {.kind = ORDER};
    order.moved = (int8_t)world.thing[list].value[COUNT];
    for (int i = 0; i < order.moved; i++) {
        order.item[i] = (int8_t)i;
    }
    if (command->word == SWAP) {
        swap(&order, command->edit[0].at, command->edit[0].to);
    } else if (command->word == SORT) {
        order_by_i(&order, &world.thing[list].value[FIRST]);
    } else if (command->word == SHUFFLE) {
        shuffle(&order);
    }
    for (int i = 0; i < order.moved / 2 && command->word == REVERSE; i++) {
        exchange(order.item, i, order.moved - 1 - i);
    }
    return order;
}

static struct list_edit splice_of(int list, const struct command *command)
{
    struct list_edit edit = command->edit[0];
    int8_t count = (int8_t)world.thing[list].value[COUNT];
    edit.kind = SPLICE;
    switch ((enum word)command->word) {
    case APPEND:
        edit.at = count;
        break;
    case CLEAR:
    case ASSIGN:
    case CONTENT:
        edit.at = 0;
        edit.removed = count;
        break;
    case REMOVE:
    case REPLACE:
        edit.removed = 1;
        break;
    default:
        break;
    }
    return edit;
}

static void tell_of_list(struct command *told, int list,
                         const struct command *command)
{
    struct list_edit edit = command->edit[0];
    switch ((enum word)command->word) {
    case MOVE_ITEM:
        edit.kind = MOVE;
        edit.moved = 1;
        break;
    case SWAP:
    case SORT:
    case REVERSE:
    case SHUFFLE:
        edit = order_of(list, command);
        break;
    case APPEND:
    case INSERT:
    case REMOVE:
    case REPLACE:
    case REPLACE_RANGE:
    case CLEAR:
    case ASSIGN:
    case CONTENT:
        edit = splice_of(list, command);
        break;
    default:
        reject("no edit of a list");
    }
    add_edit(told, edit);
}

/* Dictionaries ------------------------------------------------------------ */

/* Those that are there; `but`: a bit for each that stays. */
static void delete_others(struct command *told, int dictionary, unsigned but)
{
    for (int k = 0; k < KEYS; k++) {
        val there = world.thing[dictionary].value[KEY + k];
        if (there != UNREACHABLE && !(but >> k & 1)) {
            add_edit(told, (struct list_edit){.kind = DELETE, .at = (int8_t)k});
        }
    }
}

static void put_pairs(struct command *told, const struct command *command)
{
    for (int e = 0; e < command->edits; e++) {
        add_edit(told, command->edit[e]);
    }
}

static void tell_of_dictionary(struct command *told, int dictionary,
                               const struct command *command)
{
    unsigned keys = 0;
    for (int e = 0; e < command->edits; e++) {
        keys |= 1U << command->edit[e].at;
    }
    switch ((enum word)command->word) {
    case DELETE_KEY:
        add_edit(told,
                 (struct list_edit){.kind = DELETE, .at = command->edit[0].at});
        break;
    case PUT_KEY:
        put_pairs(told, command);
        break;
    case CLEAR:
        delete_others(told, dictionary, 0);
        break;
    case ASSIGN:
    case CONTENT:
        put_pairs(told, command);
        delete_others(told, dictionary, keys);
        break;
    default:
        reject("no edit of a dictionary");
    }
}

/* Sets -------------------------------------------------------------------- */

static uint64_t members_named(const struct command *command)
{
    uint64_t members = 0;
    for (int i = 0; i < command->edit[0].inserted; i++) {
        members |= UINT64_C(1) << command->edit[0].item[i];
    }
    return members;
}

static void move_each(struct command *told, enum edit_kind kind,
                      uint64_t members)
{
    for (int t = 0; t < THINGS; t++) {
        if (members >> t & 1) {
            struct list_edit edit = {
                .kind = (int8_t)kind, .inserted = 1, .item = {(int8_t)t}};
            add_edit(told, edit);
        }
    }
}

static uint64_t combined(enum word word, uint64_t have, uint64_t named)
{
    switch (word) {
    case ADD:
    case UNION:
        return have | named;
    case DISCARD:
    case SUBTRACT:
        return have & ~named;
    case INTERSECT:
        return have & named;
    case SYMMETRIC:
        return have ^ named;
    case CLEAR:
    case ASSIGN:
    case CONTENT:
        return named;
    default:
        reject("no edit of a set");
    }
}

static void tell_of_set(struct command *told, int set,
                        const struct command *command)
{
    uint64_t have = members_of(set, STAR);
    uint64_t want =
        combined((enum word)command->word, have, members_named(command));
    move_each(told, LEAVE, have & ~want);
    move_each(told, ENTER, want & ~have);
}

/* All ---------------------------------------------------------------------- */

struct command edits_told(int container, const struct command *command)
{
    struct command told = {
        .verb = EDIT, .thing = (int8_t)container, .by = -1, .block = -1};
    if (is_dictionary(container)) {
        tell_of_dictionary(&told, container, command);
    } else if (is_set(container)) {
        tell_of_set(&told, container, command);
    } else {
        tell_of_list(&told, container, command);
    }
    return told;
}
