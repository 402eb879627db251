// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Runs every variant once a round, in an order that is new each round.
struct Runner {
    let rounds: Int
    /// Nanoseconds of a trial, at least.
    let time: Double

    /// The medians of the rounds, in nanoseconds an operation.
    func run(_ variants: [Variant]) -> [Double] {
        let counts = variants.map(count)
        var times = [[Double]](repeating: [], count: variants.count)
        for _ in 0..<rounds {
            for index in variants.indices.shuffled() {
                times[index].append(run(variants[index], count: counts[index]))
            }
        }
        return times.map(median)
    }

    /// One round of a variant: its caches warm, its operations once more for the clock.
    private func run(_ variant: Variant, count: Int) -> Double {
        let trial = variant.make()
        let warm = max(count / 10 / variant.step, 1) * variant.step
        _ = trial.run(1, warm)
        let time = trial.run(warm + 1, count)
        guard trial.verify(warm + count) else {
            fail("\(variant.id)/\(variant.name): the checksum is wrong")
        }
        return time / Double(count)
    }

    /// Operations that take long enough.
    private func count(_ variant: Variant) -> Int {
        let limit = variant.limit ?? .max
        var count = variant.step
        let trial = variant.make()
        var first = 1
        while count < limit {
            let took = trial.run(first, count)
            if took >= time { break }
            first += count
            count = min(took * 4 < time ? count * 4 : count * 2, limit)
        }
        return count
    }
}

func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

func fail(_ text: String) -> Never {
    let line = "Scenarios: \(text)\n"
    _ = write(STDERR_FILENO, line, line.utf8.count)
    exit(1)
}
