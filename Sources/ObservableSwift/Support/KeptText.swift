// SPDX-License-Identifier: Apache-2.0

/// A text for the core, which keeps it by its address: as long as the process lives.
func keptText(_ text: String) -> UnsafePointer<CChar> {
    let bytes = text.utf8CString
    let kept = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
    bytes.withUnsafeBufferPointer { kept.initialize(from: $0.baseAddress!, count: $0.count) }
    return UnsafePointer(kept)
}
