// SPDX-License-Identifier: Apache-2.0
/*
 * Runs the benches of the public modules, each beside a plain baseline.
 */
#include "harness.h"

int main(int argc, char **argv)
{
    bench::begin();
    bench::add_queue();
    bench::add_coalescing_set();
    bench::add_names();
    bench::add_path();
    bench::add_trie();
    return bench::run(argc, argv);
}
