// SPDX-License-Identifier: Apache-2.0
/*
 * Runs the scenarios of all peers.
 */
#include "harness.h"

int main(int argc, char **argv)
{
    bench::begin();
    bench::add_p1();
    bench::add_p2();
    bench::add_p3();
    bench::add_p4();
    bench::add_p5();
    bench::add_p6();
    bench::add_p7();
    bench::add_p9();
    bench::add_p10();
    bench::add_p11();
    bench::add_p12();
    bench::add_p13();
    bench::add_p15();
    bench::add_p16();
    return bench::run(argc, argv);
}
