/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables of the model's classes, and the life of its objects.
 */
#include "model.h"
#include "sample.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct obv_property process_properties[PROCESS_PROPERTIES] = {
    [PROCESS_PID] = OBV_FIELD(process, pid, i32),
    [PROCESS_NAME] = OBV_FIELD(process, name, string),
    [PROCESS_STATE] = OBV_FIELD(process, state, i32),
    [PROCESS_THREADS] = OBV_FIELD(process, threads, i32),
    [PROCESS_MEMORY] = OBV_FIELD(process, memory, i64),
    [PROCESS_CPU] = OBV_FIELD(process, cpu, f64),
};

static const struct obv_property load_properties[LOAD_PROPERTIES] = {
    [LOAD_ONE] = OBV_FIELD(load, one, f64),
    [LOAD_FIVE] = OBV_FIELD(load, five, f64),
    [LOAD_FIFTEEN] = OBV_FIELD(load, fifteen, f64),
    [LOAD_RUNNING] = OBV_FIELD(load, running, i32),
    [LOAD_TASKS] = OBV_FIELD(load, tasks, i32),
};

static const struct obv_property memory_properties[MEMORY_PROPERTIES] = {
    [MEMORY_TOTAL] = OBV_FIELD(memory, total, i64),
    [MEMORY_AVAILABLE] = OBV_FIELD(memory, available, i64),
};

static const struct obv_property interface_properties[INTERFACE_PROPERTIES] = {
    [INTERFACE_NAME] = OBV_FIELD(interface, name, string),
    [INTERFACE_RECEIVED] = OBV_FIELD(interface, received, i64),
    [INTERFACE_SENT] = OBV_FIELD(interface, sent, i64),
};

static const struct obv_property machine_properties[MACHINE_PROPERTIES] = {
    [MACHINE_LOAD] = OBV_FIELD_OBJECT(machine, load, "load"),
    [MACHINE_MEMORY] = OBV_FIELD_OBJECT(machine, memory, "memory"),
    [MACHINE_UPLINK] = OBV_FIELD_OBJECT(machine, uplink, "interface"),
    [MACHINE_BIGGEST] = OBV_FIELD_OBJECT(machine, biggest, "process"),
    [MACHINE_BUSIEST] = OBV_FIELD_OBJECT(machine, busiest, "process"),
    [MACHINE_PROCESSES] = OBV_FIELD(machine, processes, i32),
    [MACHINE_VANISHED] = OBV_FIELD(machine, vanished, i32),
    [MACHINE_UNREADABLE] = OBV_FIELD(machine, unreadable, i32),
    [MACHINE_MISSING] = OBV_FIELD(machine, missing, i32),
};

/* The retain hook is a try: an object whose count is zero is about to end. */
static bool retain(struct obv_object *object)
{
    struct counted *counted = (struct counted *)object;
    if (counted->references == 0) {
        return false;
    }
    counted->references++;
    return true;
}

static void release(struct obv_object *object)
{
    struct counted *counted = (struct counted *)object;
    if (--counted->references > 0) {
        return;
    }
    obv_object_deinit(object);
    --*counted->alive;
    free(counted);
}

#define CLASS(type, count)                                                     \
    {                                                                          \
        .size = sizeof(struct obv_class_table), .name = #type,                 \
        .instance_size = sizeof(struct type), .properties = type##_properties, \
        .property_count = (count), .retain = retain, .release = release,       \
    }

/* Static, since a class borrows its table. */
static const struct obv_class_table load_table = CLASS(load, LOAD_PROPERTIES);
static const struct obv_class_table memory_table =
    CLASS(memory, MEMORY_PROPERTIES);
static const struct obv_class_table interface_table =
    CLASS(interface, INTERFACE_PROPERTIES);
static const struct obv_class_table process_table =
    CLASS(process, PROCESS_PROPERTIES);
static const struct obv_class_table machine_table =
    CLASS(machine, MACHINE_PROPERTIES);

static bool make_class(struct model *model, const struct obv_class_table *table,
                       struct obv_class **cls)
{
    struct obv_error error = {0};
    if (obv_class_create(model->context, table, cls, &error) != OBV_OK) {
        fprintf(stderr, "board: class %s: %s\n", table->name, error.message);
        return false;
    }
    return true;
}

static bool make_classes(struct model *model)
{
    return make_class(model, &load_table, &model->load) &&
           make_class(model, &memory_table, &model->memory) &&
           make_class(model, &interface_table, &model->interface) &&
           make_class(model, &process_table, &model->process) &&
           make_class(model, &machine_table, &model->machine);
}

bool model_open(struct model *model)
{
    *model = (struct model){0};
    enum obv_status status = obv_context_create(NULL, &model->context);
    if (status != OBV_OK) {
        fprintf(stderr, "board: %s\n", obv_status_text(status));
        return false;
    }
    if (!make_classes(model)) {
        model_close(model);
        return false;
    }
    return true;
}

bool model_close(struct model *model)
{
    if (model->alive > 0) {
        fprintf(stderr, "board: %zu objects are left\n", model->alive);
        return false;
    }
    enum obv_status status = obv_context_destroy(model->context);
    if (status != OBV_OK) {
        fprintf(stderr, "board: %s\n", obv_status_text(status));
        return false;
    }
    model->context = NULL;
    return true;
}

void *model_new(struct model *model, struct obv_class *cls, size_t size)
{
    struct counted *counted = need_memory(NULL, 1, size);
    memset(counted, 0, size);
    counted->references = 1;
    counted->alive = &model->alive;
    obv_object_init(&counted->object, cls);
    model->alive++;
    model->made++;
    return counted;
}

void model_release(void *object)
{
    if (object) {
        release(object);
    }
}
