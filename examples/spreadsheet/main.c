/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A spreadsheet of 100,000 cells: 1,000 rows of 100 columns. A cell of column A is
 * a number; every other is the one to its left and one more; the last row has the
 * sums of the columns, and the last cell that of the sums. What is entered
 * recalculates what depends on it and has another value, and nothing else.
 */
#include <observable/observable.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 1000, COLUMNS = 100, LAST = ROWS - 1 };

enum { CELL_ENTRY, CELL_VALUE };

struct cell {
    struct obv_object object;
    int16_t row, column;
    int64_t entry; /* what was entered: of column A */
    int64_t value;
};

OBV_PROPERTY(cell, entry, i64, CELL_ENTRY)
OBV_COMPUTED(cell, value, i64, CELL_VALUE)

static struct cell sheet[ROWS][COLUMNS];
static unsigned recalculated;

static int64_t sum_above(int column)
{
    int64_t sum = 0;
    for (int row = 0; row < LAST; row++) {
        sum += cell_value(&sheet[row][column]);
    }
    return sum;
}

static int64_t sum_of_sums(void)
{
    int64_t sum = 0;
    for (int column = 0; column < COLUMNS - 1; column++) {
        sum += cell_value(&sheet[LAST][column]);
    }
    return sum;
}

/* What a cell's formula says. Entries below nought count as nought. */
static enum obv_status calculate(struct obv_object *object,
                                 const struct obv_property *property,
                                 void *result)
{
    const struct cell *cell = (const struct cell *)object;
    int64_t *value = result;
    (void)property;
    recalculated++;
    if (cell->row == LAST) {
        *value = cell->column == COLUMNS - 1 ? sum_of_sums()
                                             : sum_above(cell->column);
    } else if (cell->column == 0) {
        *value = cell_entry(cell) < 0 ? 0 : cell_entry(cell);
    } else {
        *value = cell_value(&sheet[cell->row][cell->column - 1]) + 1;
    }
    return OBV_OK;
}

static const struct obv_computed formula = {.size = sizeof formula,
                                            .evaluate = calculate};

static const struct obv_property cell_properties[] = {
    [CELL_ENTRY] = OBV_FIELD(cell, entry, i64),
    [CELL_VALUE] = OBV_FIELD_COMPUTED(cell, value, i64, &formula),
};

static const struct obv_class_table cell_table = {.size = sizeof cell_table,
                                                  .name = "cell",
                                                  .instance_size =
                                                      sizeof(struct cell),
                                                  .properties = cell_properties,
                                                  .property_count = 2};

static void show(const char *what)
{
    recalculated = 0;
    int64_t total = cell_value(&sheet[LAST][COLUMNS - 1]);
    printf("%-42s total %9" PRId64 ", %6u recalculated\n", what, total,
           recalculated);
}

static void total_changed(void *observer, struct obv_object *root,
                          const struct obv_call *call)
{
    (void)observer;
    (void)call;
    printf("the total is %" PRId64 " now\n",
           cell_value((const struct cell *)root));
}

int main(void)
{
    static const struct obv_handler_kind printer = {.changed = total_changed,
                                                    .label = "printer"};
    struct obv_class *cls;
    struct obv_observation *handle;
    struct obv_loop *loop = obv_context_loop(obv_context_default());
    if (obv_class_create(NULL, &cell_table, &cls, NULL) != OBV_OK) {
        return EXIT_FAILURE;
    }
    for (int row = 0; row < ROWS; row++) {
        for (int column = 0; column < COLUMNS; column++) {
            struct cell *cell = &sheet[row][column];
            obv_object_init(&cell->object, cls);
            cell->row = (int16_t)row;
            cell->column = (int16_t)column;
        }
    }
    show("first");
    show("again");
    cell_set_entry(&sheet[4][0], 7);
    show("7 is entered in one row");
    cell_set_entry(&sheet[4][0], 7);
    show("7 is entered once more");
    cell_set_entry(&sheet[8][0], -3);
    show("-3 is entered, which counts as 0 did");
    for (int row = 0; row < 10; row++) {
        cell_set_entry(&sheet[row][0], 5);
    }
    show("5 is entered in ten rows");

    /* Who observes the total hears of it when the loop is drained. */
    if (obv_observe(&sheet[LAST][COLUMNS - 1].object, "value", &printer, NULL,
                    &handle, NULL) != OBV_OK) {
        return EXIT_FAILURE;
    }
    cell_set_entry(&sheet[0][0], 6);
    cell_set_entry(&sheet[0][0], 5);
    printf("there and back: %td calls\n", obv_loop_drain(loop));
    cell_set_entry(&sheet[0][0], 15);
    obv_loop_drain(loop);

    obv_stop(handle);
    obv_release(handle);
    for (int row = 0; row < ROWS; row++) {
        for (int column = 0; column < COLUMNS; column++) {
            obv_object_deinit(&sheet[row][column].object);
        }
    }
    return EXIT_SUCCESS;
}
