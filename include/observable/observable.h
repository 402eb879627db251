/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Everything a program needs to observe change, in C11 or C++17: include this
 * one.
 * <observable/names.h>, <observable/path.h>, <observable/trie.h>,
 * <observable/index_map.h> and <observable/hash_table.h> are modules of their own
 * and stay apart.
 */
#ifndef OBSERVABLE_OBSERVABLE_H
#define OBSERVABLE_OBSERVABLE_H

#include <observable/array.h>
#include <observable/batch.h>
#include <observable/binder.h>
#include <observable/computed.h>
#include <observable/container.h>
#include <observable/context.h>
#include <observable/debug.h>
#include <observable/derived.h>
#include <observable/dictionary.h>
#include <observable/edit_list.h>
#include <observable/foreign.h>
#include <observable/late.h>
#include <observable/loop.h>
#include <observable/object.h>
#include <observable/observe.h>
#include <observable/set.h>
#include <observable/trigger.h>
#include <observable/value.h>

#endif
