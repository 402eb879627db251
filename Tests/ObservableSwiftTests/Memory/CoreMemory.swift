// SPDX-License-Identifier: Apache-2.0

import CObservable
import Synchronization

@testable import ObservableSwift

/// The core's memory in a process of its own, where it fails on request: as Tests/c/test_memory.c.
enum CoreMemory {
    private static let live = Atomic<Int>(0)
    private static let asked = Atomic<Int>(0)
    /// The number of the allocation that fails; 0: none.
    private static let failing = Atomic<Int>(0)
    private static let everyFurther = Atomic<Bool>(false)
    private static let hasFailed = Atomic<Bool>(false)

    /// In front of a block: its size.
    private static let head = 16

    /// Before anything else of the process.
    static func begin() {
        Context.allocator = obv_allocator(
            allocate: { _, size in CoreMemory.allocate(size) },
            free: { _, block, size in CoreMemory.free(block, size) }, context: nil)
        _ = Context.shared
    }

    private static func allocate(_ size: Int) -> UnsafeMutableRawPointer? {
        let number = asked.wrappingAdd(1, ordering: .relaxed).newValue
        let at = failing.load(ordering: .relaxed)
        if at != 0, number == at || number > at && everyFurther.load(ordering: .relaxed) {
            hasFailed.store(true, ordering: .relaxed)
            return nil
        }
        let block = UnsafeMutableRawPointer.allocate(byteCount: size + head, alignment: 16)
        block.storeBytes(of: size, as: Int.self)
        // Nobody may count on zeros.
        (block + head).initializeMemory(as: UInt8.self, repeating: 0xA5, count: size)
        live.wrappingAdd(1, ordering: .relaxed)
        return block + head
    }

    private static func free(_ memory: UnsafeMutableRawPointer, _ size: Int) {
        let block = memory - head
        precondition(block.load(as: Int.self) == size, "a block comes back with another size")
        memory.initializeMemory(as: UInt8.self, repeating: 0x5A, count: size)
        block.deallocate()
        live.wrappingSubtract(1, ordering: .relaxed)
    }

    /// Blocks that are held, without those that only wait to be given back.
    static var blocks: Int {
        obv_context_collect(Context.shared)
        return live.load(ordering: .relaxed)
    }

    /// Runs `body` with the n-th allocation failing (0: none), and every further one if that is
    /// asked for.
    ///
    /// - Returns: its result, and whether any has failed.
    static func failing<Result>(
        at n: Int = 1, andFurther all: Bool = false, _ body: () throws -> Result
    ) rethrows -> (Result, failed: Bool) {
        hasFailed.store(false, ordering: .relaxed)
        everyFurther.store(all, ordering: .relaxed)
        let at = n == 0 ? 0 : asked.load(ordering: .relaxed) + n
        failing.store(at, ordering: .relaxed)
        defer { failing.store(0, ordering: .relaxed) }
        let result = try body()
        return (result, hasFailed.load(ordering: .relaxed))
    }

    /// Runs `body` with no memory at all.
    static func without<Result>(_ body: () throws -> Result) rethrows -> Result {
        try failing(at: 1, andFurther: true, body).0
    }

    /// Attempts with the first, second, … allocation failing, until one succeeds.
    ///
    /// - Parameter attempt: answers whether any has failed.
    /// - Returns: how many have failed.
    @discardableResult
    static func eachFailing(_ attempt: (_ n: Int) throws -> Bool) rethrows -> Int {
        for n in 1..<1000 where try !attempt(n) {
            return n - 1
        }
        fatalError("an attempt that never succeeds")
    }
}
