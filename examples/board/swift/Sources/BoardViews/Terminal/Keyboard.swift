// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation

/// Keys, as they are pressed.
@MainActor final class Keyboard {
    private var source: (any DispatchSourceRead)?
    /// Not the source's: a cancelled one is freed on another thread, some time later.
    private var perform: (@MainActor (Character) -> Void)?

    /// Nothing if standard input is no terminal.
    func onKey(perform: @escaping @MainActor (Character) -> Void) {
        guard isatty(STDIN_FILENO) != 0 else { return }
        let source = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: .main)
        source.setEventHandler { [weak self] in
            MainActor.assumeIsolated { self?.read() }
        }
        source.activate()
        self.source = source
        self.perform = perform
    }

    func close() {
        source?.cancel()
        source = nil
        perform = nil
    }

    private func read() {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = Foundation.read(STDIN_FILENO, &bytes, bytes.count)
        guard count > 0 else {
            if count == 0 || errno != EINTR { close() }
            return
        }
        // Arrows and the like begin so: no key of ours.
        guard bytes[0] != 0x1b else { return }
        for key in String(decoding: bytes.prefix(count), as: UTF8.self) {
            perform?(key)
        }
    }
}
