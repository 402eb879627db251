// SPDX-License-Identifier: Apache-2.0
//
//     HotPath allocations    prints the allocations of a thousand notifications
//     HotPath count ID       runs the loop of one scenario, for callgrind

switch CommandLine.arguments.dropFirst().first {
case "allocations": printAllocations()
case "count": runCountedLoop(of: CommandLine.arguments.last!)
default: fatalError("usage: HotPath allocations | HotPath count ID")
}

// What the disassembly shows is there although nothing here calls it.
precondition(getPlain(PlainUser()) == get(User()))
