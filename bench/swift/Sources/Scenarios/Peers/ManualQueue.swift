// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// What peers deliver through: a list of blocks under a mutex, which the program drains, as it
/// drains our manual loop.
final class ManualQueue: Sendable {
    /// The program sees to it that a block may be called where the queue is drained.
    private struct Block: @unchecked Sendable {
        let call: () -> Void
    }

    private let blocks = Mutex<[Block]>([])

    func append(_ block: @escaping () -> Void) {
        let block = Block(call: block)
        blocks.withLock { $0.append(block) }
    }

    func drain() {
        let taken = blocks.withLock { blocks in
            let taken = blocks
            blocks.removeAll(keepingCapacity: true)
            return taken
        }
        for block in taken { block.call() }
    }
}
