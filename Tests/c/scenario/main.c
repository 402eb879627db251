/* SPDX-License-Identifier: Apache-2.0 */
/*
 * obv_scenarios: runs scenario scripts over the C interface.
 *
 *     obv_scenarios [--only NAME] [--by-index] [--unaware] [--own] FILE...
 *
 *     --only NAME   this test alone
 *     --by-index    sets and reads through the setters and getters by index
 *                   instead of those of OBV_PROPERTY()
 *     --unaware     observers are not told of deaths; without tests that need it
 *     --own         arrays, dictionaries and sets are the runner's own containers
 *                   instead of the library's
 *
 * Each test is a process of its own. The child leaves the line it is at, and
 * what failed, in memory that both share, so a crash has a line as well.
 */
#define _DEFAULT_SOURCE

#include "scenario.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS_A_TEST = 60 };

static const char *only;
static bool by_index, unaware, own;
static size_t passed, failed;

static void run_lines(const struct scenario *scenario)
{
    report->line = scenario->line;
    if (scenario->fault) {
        fail("%s", scenario->fault);
    }
    if (!scenario_expects(scenario)) {
        fail("the test expects nothing");
    }
    world_begin(scenario, by_index);
    for (size_t i = 0; i < scenario->line_count; i++) {
        run_command(scenario->lines[i]);
        report->line = scenario->lines[i].line;
    }
    world_end();
}

/* Whether a child has ended well; if not, the report says why. */
static bool await(pid_t child)
{
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) {
        snprintf(report->text, sizeof report->text, "no process could be had");
        return false;
    }
    if (WIFSIGNALED(status)) {
        snprintf(report->text, sizeof report->text, "ended by signal %d",
                 WTERMSIG(status));
        return false;
    }
    if (WEXITSTATUS(status) != 0 && report->text[0] == '\0') {
        snprintf(report->text, sizeof report->text, "ended with status %d",
                 WEXITSTATUS(status));
    }
    return WEXITSTATUS(status) == 0;
}

static void run_test(const struct scenario *scenario)
{
    memset(report, 0, sizeof *report);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        alarm(SECONDS_A_TEST);
        world.unaware = unaware;
        world.has_own_lists = own;
        run_lines(scenario);
        fflush(NULL);
        exit(0); /* not _exit: the leak check of the sanitizers runs here */
    }
    if (await(child)) {
        passed++;
        printf("ok %s\n", scenario->name);
    } else {
        failed++;
        printf("not ok %s: line %u: %s\n", scenario->name, report->line,
               report->text);
    }
}

static bool is_about_deaths(const struct scenario *scenario)
{
    bool found = false;
    for (size_t i = 0; i < scenario->line_count; i++) {
        const struct words *line = &scenario->lines[i];
        for (size_t j = 0; j < line->count; j++) {
            found = found || strcmp(line->word[j], "told") == 0 ||
                    strcmp(line->word[j], "ontold") == 0;
        }
    }
    return found;
}

static void run_file(const char *file)
{
    struct scenario *scenario = script_read(file);
    if (!scenario) {
        failed++;
        printf("not ok %s: line 0: the file cannot be read\n", file);
        return;
    }
    for (; scenario; scenario = scenario->next) {
        if (scenario->only != LANGUAGE_SWIFT &&
            !(unaware && is_about_deaths(scenario)) &&
            (!only || strcmp(only, scenario->name) == 0)) {
            run_test(scenario);
        }
    }
    give_back_kept();
}

static int usage(void)
{
    fputs("usage: obv_scenarios [--only NAME] [--by-index] [--unaware] "
          "[--own] FILE...\n",
          stderr);
    return 2;
}

int main(int count, char **words)
{
    int at = 1;
    for (; at < count && words[at][0] == '-'; at++) {
        if (strcmp(words[at], "--by-index") == 0) {
            by_index = true;
        } else if (strcmp(words[at], "--unaware") == 0) {
            unaware = true;
        } else if (strcmp(words[at], "--own") == 0) {
            own = true;
        } else if (strcmp(words[at], "--only") == 0 && at + 1 < count) {
            only = words[++at];
        } else {
            return usage();
        }
    }
    if (at == count) {
        return usage();
    }
    report = mmap(NULL, sizeof *report, PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (report == MAP_FAILED) {
        perror("obv_scenarios");
        return 2;
    }
    for (; at < count; at++) {
        run_file(words[at]);
    }
    if (only && passed + failed == 0) {
        fprintf(stderr, "no test is called %s\n", only);
        failed++;
    }
    printf("%zu passed, %zu failed\n", passed, failed);
    return failed == 0 ? 0 : 1;
}
