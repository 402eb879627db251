// SPDX-License-Identifier: Apache-2.0

/// A program that runs beside the board; its lines go into a model, which views observe.
public struct CompanionProgram: Sendable {
    let file: String
    let arguments: [String]
    let name: String
    let prefix: String

    /// - Parameter prefix: what its lines begin with where they stand among others.
    public init(file: String, arguments: [String], name: String, prefix: String) {
        self.file = file
        self.arguments = arguments
        self.name = name
        self.prefix = prefix
    }
}
