/* SPDX-License-Identifier: Apache-2.0 */
/*
 * obv_model: a naive model of the behaviour contract against the library, by
 * random programs.
 *
 *     obv_model [--seed N] [--steps N] [--without OPTION,...]
 *     obv_model [--seed N] --scripts FOLDER COUNT
 *     obv_model --program N
 *
 *     --steps N      so many commands, in all programs together
 *     --without ...  options that no program has
 *     --known        with what is known to differ
 *     --scripts ...  writes programs as scenario scripts, with what the model
 *                    expects, for both runners
 *     --program N    one program, aloud, whether it differs or not
 *
 * What differs is shrunk and printed as a script, with what was met.
 */
#define _DEFAULT_SOURCE

#include "generate.h"
#include "print.h"
#include "real.h"
#include "shrink.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { COMMANDS_A_PROGRAM = 110, COMMANDS_A_SCRIPT = 80 };

static uint64_t seed = 20261121, steps = 100000;
static struct program program;

static void make_program(uint64_t number, int commands)
{
    /* Not the step of the generator: programs would be one another's, shifted
       by a draw. */
    struct source source = {.state = number * UINT64_C(0xD1342543DE82EF95)};
    program.seed = number;
    generate_program(&source, &program, commands);
}

/* The first that differs is not survived. */
static void run_programs(uint64_t *number)
{
    while (real_steps < steps) {
        make_program(*number, COMMANDS_A_PROGRAM);
        run_both(&program, false);
        ++*number;
    }
    printf("%" PRIu64 " steps\n", real_steps);
    fflush(NULL);
    exit(0); /* not _exit: the leak check of the sanitizers runs here */
}

static void report_difference(uint64_t number)
{
    make_program(number, COMMANDS_A_PROGRAM);
    fprintf(stderr, "program %" PRIu64 " differs; shrunk:\n", number);
    if (!fails(&program, false)) {
        fputs("(not by itself)\n", stderr);
        return;
    }
    shrink(&program);
    (void)fails(&program, true);
    fputs("\nas a script, with what the model expects:\n\n", stderr);
    print_script(stderr, &program, "shrunk");
}

static int compare_them(void)
{
    uint64_t *number = mmap(NULL, sizeof *number, PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (number == MAP_FAILED) {
        perror("obv_model");
        return 2;
    }
    *number = seed;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        run_programs(number);
    }
    int status = 0;
    bool good = child > 0 && waitpid(child, &status, 0) == child &&
                WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (!good) {
        report_difference(*number);
    }
    printf("%s the library does what a naive model does\n",
           good ? "ok" : "not ok");
    printf("%d passed, %d failed\n", good, !good);
    return !good;
}

/* The world of scripts: no hash is of two, and each has the name of its thing. */
static void name_hashes(void)
{
    static char names[LAST_HASH - HASH][20];
    memset(hash_of, LAST_HASH, sizeof hash_of);
    property_names[LAST_HASH] = "";
    for (int h = 0; h < LAST_HASH - HASH; h++) {
        snprintf(names[h], sizeof names[h], "&(%s)", thing_name(h));
        property_names[HASH + h] = names[h];
        hash_of[h] = (int8_t)(HASH + h);
    }
}

/* Of some scripts things are bare. */
static void choose_world(uint64_t number)
{
    gives_containers = number % 5 != 0;
    knows = gives_containers ? EVERY_SORT : 0;
    options_off &= ~(unsigned)WITHOUT_CONTAINERS;
    options_off |= gives_containers ? 0 : WITHOUT_CONTAINERS;
}

static int write_scripts(const char *folder, int count)
{
    char name[1000];
    options_off |= WITHOUT_STARVE | WITHOUT_FOREIGN;
    knows_foreign = knows_twins = knows_extra = false;
    blocks_read = true;
    has_unset = true;
    only_script = true;
    name_hashes();
    for (int i = 0; i < count; i++) {
        snprintf(name, sizeof name, "%s/random_%" PRIu64 ".scn", folder,
                 seed + (uint64_t)i);
        FILE *file = fopen(name, "w");
        if (!file) {
            perror(name);
            return 2;
        }
        choose_world(seed + (uint64_t)i);
        make_program(seed + (uint64_t)i, COMMANDS_A_SCRIPT);
        snprintf(name, sizeof name, "random_%" PRIu64 " DR-2 DR-4 EQ-2 KP-3",
                 program.seed);
        print_script(file, &program, name);
        if (fclose(file) != 0) {
            perror(folder);
            return 2;
        }
    }
    return 0;
}

static int usage(void)
{
    fputs("usage: obv_model [--seed N] [--steps N] [--without OPTION,...]\n"
          "       obv_model [--seed N] --scripts FOLDER COUNT\n"
          "       obv_model --program N\n",
          stderr);
    return 2;
}

static void leave_out(const char *words)
{
    static const struct {
        const char *word;
        unsigned option;
    } options[] = {
        {"any-element", ANY_ELEMENT},
        {"net", NET},
        {"values", VALUES},
        {"prior", PRIOR},
        {"records", RECORDS},
        {"starve", WITHOUT_STARVE},
        {"class", WITHOUT_CLASS},
        {"foreign", WITHOUT_FOREIGN},
        {"lists", WITHOUT_LISTS},
        {"dictionaries", WITHOUT_DICTIONARIES},
        {"sets", WITHOUT_SETS},
        {"computed", WITHOUT_COMPUTED},
        {"always", COMPARE_ALWAYS},
        {"inner-star", WITHOUT_INNER_STAR},
        {"compare", COMPARE_ALWAYS | COMPARE_EQUAL | COMPARE_IDENTITY}};
    for (size_t o = 0; o < sizeof options / sizeof *options; o++) {
        options_off |= strstr(words, options[o].word) ? options[o].option : 0;
    }
}

int main(int count, char **words)
{
    const char *given = getenv("OBV_TEST_SEED");
    knows_foreign = knows_twins = knows_extra = true;
    knows = EVERY_SORT;
    seed = given ? strtoull(given, NULL, 0) : seed;
    for (int i = 1; i < count; i++) {
        bool has_next = i + 1 < count;
        if (strcmp(words[i], "--seed") == 0 && has_next) {
            seed = strtoull(words[++i], NULL, 0);
        } else if (strcmp(words[i], "--steps") == 0 && has_next) {
            steps = strtoull(words[++i], NULL, 0);
        } else if (strncmp(words[i], "--steps=", 8) == 0) {
            steps = strtoull(words[i] + 8, NULL, 0); /* in one word */
        } else if (strncmp(words[i], "--seed=", 7) == 0) {
            seed = strtoull(words[i] + 7, NULL, 0);
        } else if (strcmp(words[i], "--without") == 0 && has_next) {
            leave_out(words[++i]);
        } else if (strcmp(words[i], "--known") == 0) {
            knows_mended = true;
        } else if (strcmp(words[i], "--program") == 0 && has_next) {
            make_program(strtoull(words[i + 1], NULL, 0), COMMANDS_A_PROGRAM);
            return fails(&program, true);
        } else if (strcmp(words[i], "--scripts") == 0 && i + 2 < count) {
            return write_scripts(words[i + 1], atoi(words[i + 2]));
        } else {
            return usage();
        }
    }
    return compare_them();
}
