/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Classes of containers, and the kinds of elements that one of them may have.
 */
#ifndef OBV_CONTAINER_CLASS_H
#define OBV_CONTAINER_CLASS_H

#include "model/container.h"

extern const struct obv__elements_kind obv__positions, obv__dictionary,
    obv__set;

/** Frees what the classes of a context that ends have beside them. */
void obv__container_classes_free(struct obv_context *context);

#endif
