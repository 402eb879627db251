// SPDX-License-Identifier: Apache-2.0

import Readings

/// The parts of a reading, each of which may be missing.
enum ReadingPart: String, CaseIterable {
    case load, memory, network, processes
}

extension Reading {
    var missing: Set<ReadingPart> {
        var parts: Set<ReadingPart> = []
        if load == nil { parts.insert(.load) }
        if memory == nil { parts.insert(.memory) }
        if interfaces == nil { parts.insert(.network) }
        if processes == nil { parts.insert(.processes) }
        return parts
    }
}
