/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Everything a program needs to observe change, in C11 or C++17: include this
 * one.
 * Beside it stand <observable/path.h>, compiled key paths, and what bindings of
 * other languages need.
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
#include <observable/dictionary.h>
#include <observable/edit_list.h>
#include <observable/foreign.h>
#include <observable/late.h>
#include <observable/loop.h>
#include <observable/object.h>
#include <observable/observe.h>
#include <observable/set.h>
#include <observable/trace.h>
#include <observable/trigger.h>
#include <observable/value.h>
#include <observable/version.h>

#endif
