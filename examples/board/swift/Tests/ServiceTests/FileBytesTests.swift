// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Service

/// Reading whole files.
@Suite struct FileBytesTests {
    @Test(arguments: [0, 1, 4095, 4096, 4097, 20_000])
    func everySize(size: Int) throws {
        let folder = try StandIn()
        let text = String(repeating: "x", count: size)
        let file = try folder.write(text, to: "file")
        #expect(try readBytes(of: file) == Array(text.utf8))
    }

    @Test func aFileWithoutEnd() {
        #expect(throws: SystemError(code: EFBIG)) {
            try readBytes(of: "/dev/zero", limit: 10_000)
        }
    }

    @Test func noFile() {
        let error = #expect(throws: SystemError.self) { try readBytes(of: "/none") }
        #expect(error?.code == ENOENT)
        #expect(error.map { "\($0)" } == "No such file or directory")
    }
}
