// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ObservableSwift

/// The value that a typed path reads is compared with a property, to find which one it is.
@Suite struct SameBytesTests {
    /// Nine bytes are a value, though sixteen lie between two of them.
    @Test func EQ_6_what_lies_behind_a_value_is_not_its() {
        withUnsafeTemporaryAllocation(byteCount: 32, alignment: 16) { bytes in
            for (byte, filling) in [(0, 0x00), (16, 0xFF)] as [(Int, UInt8)] {
                bytes.baseAddress!.storeBytes(of: Double.nan, toByteOffset: byte, as: Double.self)
                bytes[byte + 8] = 0
                bytes[(byte + 9)..<(byte + 16)].initializeMemory(as: UInt8.self, repeating: filling)
            }
            let values = bytes.assumingMemoryBound(to: Double?.self)
            #expect(MemoryLayout<Double?>.size == 9 && values[1]?.isNaN == true)
            #expect(_areSameBytes(values.baseAddress!, values.baseAddress! + 1))
        }
    }
}
