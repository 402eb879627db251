// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Bytes in the unit that leaves one to four digits: `512 B`, `12 KiB`, `1.5 GiB`.
func bytes(_ number: Int) -> String {
    let units = ["B", "KiB", "MiB", "GiB", "TiB"]
    var shown = Double(number)
    var unit = 0
    while shown >= 1024, unit + 1 < units.count {
        shown /= 1024
        unit += 1
    }
    return "\(decimals(shown, unit < 2 ? 0 : 1)) \(units[unit])"
}

/// A number with so many digits behind its point.
func decimals(_ number: Double, _ digits: Int) -> String {
    String(format: "%.\(digits)f", number)
}

/// The system's letter for a process's state, in words.
func stateWords(_ letter: String) -> String {
    switch letter {
    case "R": "running"
    case "S": "sleeping"
    case "D": "waiting for a device"
    case "Z": "ended, not yet waited for"
    case "T", "t": "stopped"
    case "I": "idle"
    default: "in an unknown state"
    }
}
