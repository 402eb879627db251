/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command line, by getopt_long().
 */
#define _POSIX_C_SOURCE 200809L
#include "options.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#ifndef BOARD_RECORDING
#define BOARD_RECORDING "examples/board/recording.txt"
#endif

static const char usage[] =
    "usage: board [OPTION]...\n"
    "Keeps a model of this machine and shows what is observed in it.\n"
    "\n"
    "  --seconds N         run for N seconds; else until interrupted\n"
    "  --plain             print lines as things happen; on a terminal rows\n"
    "                      are drawn in place instead\n"
    "  --recording[=FILE]  show a recording instead of this machine\n"
    "  --record FILE       write what is shown to a recording\n"
    "  --proc DIR          read DIR instead of /proc\n"
    "  --alarm MIB         tell at once when the biggest process uses more\n"
    "                      (1024)\n"
    "  --help              print this\n"
    "\n"
    "Where /proc cannot be read, the recording is shown; the first line says\n"
    "which it is. Exit: 0 all went well, 1 it did not, 2 wrong usage.\n";

enum { SECONDS = 1, PLAIN, RECORDING, RECORD, PROC, ALARM, HELP };

static const struct option known[] = {
    {"seconds", required_argument, NULL, SECONDS},
    {"plain", no_argument, NULL, PLAIN},
    {"recording", optional_argument, NULL, RECORDING},
    {"record", required_argument, NULL, RECORD},
    {"proc", required_argument, NULL, PROC},
    {"alarm", required_argument, NULL, ALARM},
    {"help", no_argument, NULL, HELP},
    {NULL, 0, NULL, 0},
};

/* A number above 0 and at most `limit`. */
static bool read_number(const char *name, const char *text, double limit,
                        double *number)
{
    char *end;
    *number = strtod(text, &end);
    if (end != text && *end == '\0' && *number > 0 && *number <= limit) {
        return true;
    }
    fprintf(stderr, "board: --%s: `%s` is no number from above 0 to %.0f\n",
            name, text, limit);
    return false;
}

static bool read_alarm(struct options *options)
{
    double number;
    if (!read_number("alarm", optarg, 1e9, &number)) {
        return false;
    }
    options->alarm = (int64_t)(number * 1024 * 1024);
    return true;
}

static bool read_option(struct options *options, int option)
{
    switch (option) {
    case SECONDS:
        return read_number("seconds", optarg, 1e6, &options->seconds);
    case PLAIN:
        options->plain = true;
        return true;
    case RECORDING:
        options->recorded = true;
        options->recording = optarg ? optarg : BOARD_RECORDING;
        return true;
    case RECORD:
        options->record = optarg;
        return true;
    case PROC:
        options->proc = optarg;
        return true;
    case ALARM:
        return read_alarm(options);
    default:
        return false;
    }
}

static enum options_result wrong(void)
{
    fputs("try `board --help`\n", stderr);
    return OPTIONS_WRONG;
}

enum options_result options_read(struct options *options, int argc,
                                 char *argv[])
{
    *options = (struct options){
        .plain = !isatty(STDOUT_FILENO),
        .recording = BOARD_RECORDING,
        .proc = "/proc",
        .alarm = INT64_C(1) << 30,
    };
    int option;
    while ((option = getopt_long(argc, argv, "", known, NULL)) != -1) {
        if (option == HELP) {
            fputs(usage, stdout);
            return OPTIONS_HELP_GIVEN;
        }
        if (!read_option(options, option)) {
            return wrong();
        }
    }
    if (optind < argc) {
        fprintf(stderr, "board: `%s` is no option\n", argv[optind]);
        return wrong();
    }
    return OPTIONS_RUN;
}
