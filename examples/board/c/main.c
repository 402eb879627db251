/* SPDX-License-Identifier: Apache-2.0 */
/*
 * board: a model of this machine and views that observe it, in one thread.
 *
 * The program's own event loop is poll(). Twice a second it carries a sample
 * into the model; whenever the library's descriptor is readable, it drains.
 * What the views print is printed by that drain, but for the alarm, which is
 * immediate.
 */
#define _POSIX_C_SOURCE 200809L
#include "display.h"
#include "options.h"
#include "source.h"
#include "update.h"
#include "views.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Half a second, in microseconds. */
#define PERIOD INT64_C(500000)

struct board {
    struct options options;
    struct source *source;
    FILE *record;
    struct sample sample;
    struct model model;
    struct update update;
    struct display display;
    struct views views;
    struct obv_loop *loop;
    int descriptor;
    /* What is printed at the end; times in microseconds. */
    uint64_t samples;
    int64_t slowest;
};

static volatile sig_atomic_t interrupted;

static void interrupt(int number)
{
    (void)number;
    interrupted = 1;
}

/* poll() is left when a signal comes; one that comes just before it is seen
   half a second later. */
static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = interrupt};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

static bool open_recording(struct board *board, const char *reason)
{
    board->source = source_recording_open(board->options.recording);
    if (board->source) {
        printf("source: the recording %s, %s\n", board->options.recording,
               reason);
    }
    return board->source;
}

/* Says in the program's first line where its data come from. */
static bool open_source(struct board *board)
{
    char reason[256];
    if (board->options.recorded) {
        return open_recording(board, "as asked");
    }
    board->source = source_proc_open(board->options.proc);
    if (!board->source) {
        snprintf(reason, sizeof reason, "since %s cannot be read (%s)",
                 board->options.proc, strerror(errno));
        return open_recording(board, reason);
    }
    printf("source: %s, this machine\n", board->options.proc);
    return true;
}

static bool open_record(struct board *board)
{
    if (!board->options.record) {
        return true;
    }
    board->record = fopen(board->options.record, "w");
    if (!board->record) {
        fprintf(stderr, "board: %s: %s\n", board->options.record,
                strerror(errno));
        return false;
    }
    recording_begin(board->record);
    return true;
}

/* The views first: nothing is known of the machine when they are registered. */
static bool open_model(struct board *board)
{
    if (!model_open(&board->model)) {
        return false;
    }
    update_open(&board->update, &board->model);
    board->loop = obv_context_loop(board->model.context);
    enum obv_status status =
        obv_loop_descriptor(board->loop, &board->descriptor);
    if (status != OBV_OK) {
        fprintf(stderr, "board: %s\n", obv_status_text(status));
        return false;
    }
    display_open(&board->display, board->options.plain);
    return views_open(&board->views, board->update.machine, &board->display,
                      board->options.alarm);
}

static bool take_sample(struct board *board)
{
    sample_clear(&board->sample);
    if (!board->source->read(board->source, &board->sample)) {
        return false;
    }
    if (board->record) {
        recording_write(board->record, &board->sample);
    }
    update_apply(&board->update, &board->sample);
    board->samples++;
    return true;
}

static void drain(struct board *board)
{
    int64_t begin = clock_now();
    obv_loop_drain(board->loop);
    int64_t taken = clock_now() - begin;
    if (taken > board->slowest) {
        board->slowest = taken;
    }
}

/* Whole milliseconds until `moment`, rounded up; 0 if it has come. */
static int wait_until(int64_t moment)
{
    int64_t left = moment - clock_now();
    return left > 0 ? (int)((left + 999) / 1000) : 0;
}

static bool run(struct board *board)
{
    struct pollfd waiting = {.fd = board->descriptor, .events = POLLIN};
    int64_t begin = clock_now(), next = begin;
    int64_t end = board->options.seconds > 0
                      ? begin + (int64_t)(board->options.seconds * 1e6)
                      : INT64_MAX;
    while (!interrupted && clock_now() < end) {
        if (clock_now() >= next) {
            if (!take_sample(board)) {
                return false;
            }
            next = next + PERIOD > clock_now() ? next + PERIOD : clock_now();
        }
        if (poll(&waiting, 1, wait_until(next < end ? next : end)) > 0) {
            drain(board);
        }
    }
    return true;
}

static void print_statistics(const struct board *board)
{
    struct obv_counters counters;
    const struct tally *tally = &board->update.tally;
    obv_context_counters(board->model.context, &counters);
    uint64_t immediate = board->views.immediate;
    uint64_t due = tally->due > immediate ? tally->due - immediate : 0;
    printf("samples            %" PRIu64 "\n", board->samples);
    printf("properties set     %" PRIu64 "\n", tally->sets);
    printf("real changes       %" PRIu64 ", compared before each set; %" PRIu64
           " of observed properties\n",
           tally->changes, tally->observed);
    printf("blocks called      %" PRIu64 " delayed, %" PRIu64 " immediate\n",
           counters.called, immediate);
    printf("coalescing ratio   %.2f, for %" PRIu64 " delayed calls were due\n",
           counters.called > 0 ? (double)due / (double)counters.called : 0,
           due);
    printf("slowest drain      %" PRId64 " us, what the views do included\n",
           board->slowest);
}

/* A recording that did not reach its disk is no recording. */
static bool close_record(struct board *board)
{
    if (!board->record) {
        return true;
    }
    bool written = !ferror(board->record);
    written = fclose(board->record) == 0 && written;
    if (!written) {
        fprintf(stderr, "board: %s could not be written\n",
                board->options.record);
    }
    return written;
}

static bool close_board(struct board *board)
{
    bool written = close_record(board), ended = true;
    if (board->source) {
        board->source->close(board->source);
    }
    sample_free(&board->sample);
    if (board->model.context) {
        views_close(&board->views);
        update_close(&board->update);
        ended = model_close(&board->model);
        printf("objects made       %zu, left %zu\n", board->model.made,
               board->model.alive);
    }
    return written && ended;
}

int main(int argc, char *argv[])
{
    static struct board board;
    enum options_result result = options_read(&board.options, argc, argv);
    if (result != OPTIONS_RUN) {
        return result == OPTIONS_WRONG ? 2 : 0;
    }
    catch_signals();
    bool good = open_source(&board) && open_record(&board) &&
                open_model(&board) && run(&board);
    if (good) {
        print_statistics(&board);
    }
    return close_board(&board) && good ? 0 : 1;
}
