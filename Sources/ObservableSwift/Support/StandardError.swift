// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#elseif canImport(ucrt)
    import ucrt
#endif

/// Registers a function to be called when the program exits.
func callAtExit(_ body: @escaping @convention(c) () -> Void) {
    atexit(body)
}

/// Standard error, unbuffered.
struct StandardError: TextOutputStream {
    mutating func write(_ text: String) {
        var text = text
        text.withUTF8 { bytes in
            #if canImport(ucrt)
                _ = ucrt._write(2, bytes.baseAddress, UInt32(bytes.count))
            #else
                _ = writeBytes(2, bytes.baseAddress, bytes.count)
            #endif
        }
    }
}

#if !canImport(ucrt)
    private func writeBytes(
        _ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int
    ) -> Int {
        #if canImport(Glibc)
            return Glibc.write(descriptor, bytes, count)
        #elseif canImport(Musl)
            return Musl.write(descriptor, bytes, count)
        #else
            return Darwin.write(descriptor, bytes, count)
        #endif
    }
#endif
