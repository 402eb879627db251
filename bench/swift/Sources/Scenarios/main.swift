// SPDX-License-Identifier: Apache-2.0
//
// Times the scenarios P1 to P7, P9 to P11, P16 and P17: prints `id<TAB>variant<TAB>ns`, a line for each
// place of a variant. scripts/bench runs it.
//
//     Scenarios [--quick] [ID...]

import BenchSupport

var arguments = Array(CommandLine.arguments.dropFirst())
let quick = arguments.first == "--quick"
if quick { arguments.removeFirst() }

bench_pin()
bench_start_second_thread()
let variants = allVariants().filter { variant in
    arguments.isEmpty || arguments.contains { variant.id.hasPrefix($0) }
}
let runner = Runner(rounds: quick ? 9 : 15, time: quick ? 4e6 : 2e7)
for (variant, time) in zip(variants, runner.run(variants)) {
    print(variant.id, variant.name, time, separator: "\t")
}
