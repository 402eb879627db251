// SPDX-License-Identifier: Apache-2.0
//
// P8: bytes asked of malloc, for an object with four ints that nobody observes, for its first
// delayed observer and for a second. Prints `id<TAB>variant<TAB>bytes`; scripts/bench runs it.
//
//     P8a            the object
//     P8b, P8c       the observer is a model
//     P8d, P8e       it is an object of another class
//     P8f, P8g       a token, no observer

for line in measured() {
    print(line.id, line.name, line.bytes, separator: "\t")
}
