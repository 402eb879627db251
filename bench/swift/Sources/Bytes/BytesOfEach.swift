// SPDX-License-Identifier: Apache-2.0

import CountedMemory

/// The bytes of an object, of its first and of its second observation: the mean of a thousand.
/// A first hundred, with both, have been made before: what there is once is there then.
func bytesOfEach(
    make: () -> Void, reserve: (Int) -> Void, observe: (Int) -> Void
) -> [Double] {
    let first = 100
    let all = 1_100
    reserve(all)
    for index in 0..<first {
        make()
        observe(index)
        observe(index)
    }
    func bytes(_ work: (Int) -> Void) -> Double {
        let before = counted_bytes()
        for index in first..<all { work(index) }
        return Double(counted_bytes() - before) / Double(all - first)
    }
    return [bytes { _ in make() }, bytes(observe), bytes(observe)]
}
