// SPDX-License-Identifier: Apache-2.0

/// A copy of a text for the core, which keeps only its address. The copy is kept for the process.
func keptText(_ text: String) -> UnsafePointer<CChar> {
    let bytes = text.utf8CString
    let kept = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
    bytes.withUnsafeBufferPointer { kept.initialize(from: $0.baseAddress!, count: $0.count) }
    return UnsafePointer(kept)
}
