// SPDX-License-Identifier: Apache-2.0

/// What an observer has seen: the checksum that proves the work.
final class Tally {
    var calls = 0
    var sum = 0

    @inline(__always)
    func add(_ value: Int) {
        calls &+= 1
        sum &+= value
    }

    /// Nobody was called.
    var sawNothing: Bool { calls == 0 && sum == 0 }

    /// Every value from 1 to `last`, by each of so many observers.
    func sawEach(to last: Int, observers: Int = 1) -> Bool {
        calls == last * observers && sum == last * (last + 1) / 2 * observers
    }

    /// The last value of each burst.
    func sawLastOfEachBurst(to last: Int) -> Bool {
        let bursts = last / burst
        return calls == bursts && sum == burst * bursts * (bursts + 1) / 2
    }
}
