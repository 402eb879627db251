// SPDX-License-Identifier: Apache-2.0

/// Every scenario by every library.
func allVariants() -> [Variant] {
    var all = unobservedSets() + immediateSets() + coalescedSets() + deliveredSets()
    all += manyObservers() + addedAndRemoved() + paths() + appendsInPlace() + arrayEdits()
    all += twoThreads() + computedProperties() + derivedArrays() + trackedReads()
    #if OPENCOMBINE
        all += combineVariants()
    #endif
    return all
}
