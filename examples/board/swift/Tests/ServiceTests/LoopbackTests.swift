// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Service

/// Where nothing can listen.
@Suite struct LoopbackTests {
    @Test func free() throws {
        #expect(throws: Never.self) { try loopback(port: 0) }
    }

    #if os(Linux)
        @Test(.enabled("this system lets nobody have a network namespace") { await mayUnshare() })
        func withoutLoopback() async throws {
            let result = await inEmptyNetwork { Result { try loopback(port: 0) } }
            let error = #expect(throws: ServiceError.self) { try result?.get() }
            #expect(error == .noLoopback)
        }
    #endif

    @Test func everyErrorIsOneLine() {
        let errors: [ServiceError] = [
            .portTaken(80), .noLoopback, .cannotListen(port: 80, reason: "Permission denied"),
            .unreadable(file: "f", reason: "r"), .broken(file: "f", line: 2, reason: "r"),
        ]
        for error in errors {
            #expect(!"\(error)".isEmpty && !"\(error)".contains("\n"))
            #expect(error.localizedDescription == "\(error)")
        }
        #expect("\(errors[2])" == "cannot listen at port 80: Permission denied")
    }
}

#if os(Linux)
    private func mayUnshare() async -> Bool {
        await inEmptyNetwork { true } == true
    }

    /// Runs the function in a thread of its own whose network is a new one, which has no `lo` that
    /// is up; nil where the system does not allow that.
    private func inEmptyNetwork<Value: Sendable>(
        _ body: @escaping @Sendable () -> Value
    ) async -> Value? {
        await withCheckedContinuation { continuation in
            Thread {
                continuation.resume(returning: leaveNetwork() ? body() : nil)
            }.start()
        }
    }

    /// `unshare(CLONE_NEWNET)`, which the headers hide from Swift.
    private func leaveNetwork() -> Bool {
        guard let symbol = dlsym(nil, "unshare") else {
            return false
        }
        let unshare = unsafeBitCast(symbol, to: (@convention(c) (Int32) -> Int32).self)
        return unshare(0x4000_0000) == 0
    }
#endif
