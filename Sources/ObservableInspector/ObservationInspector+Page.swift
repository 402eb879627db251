// SPDX-License-Identifier: Apache-2.0

#if Inspector
    public import ObservableSwift

    /// A page in the browser that shows what a program observes, as it runs: objects and their
    /// observers, the graph drawn, pending calls, their causes, rates and a timeline.
    ///
    ///     ObservationInspector.add(document, name: "document")
    ///     print(try await ObservationInspector.serve())  // http://127.0.0.1:40113/
    ///
    /// A process has one page, which is off until it is served. It listens on 127.0.0.1 alone, and
    /// answers requests that name this machine alone. Every program and user of this machine can
    /// read it: names, labels and source lines, and no value of a property. It changes nothing.
    extension ObservationInspector {
        /// Shows what is reached from an object, under a name, from now on. The page does not keep
        /// the object. A name that is taken goes to the new object.
        ///
        /// - Parameters:
        ///   - root: its graph is asked for where it belongs, never by the server's thread.
        ///   - name: for people; any text.
        ///   - loop: where the object, and what it leads to, belongs; nil: to the isolation of the
        ///     caller, or if it has none, to the main loop. A loop that the program drains by itself
        ///     cannot be asked: that is told to ``ObservationDiagnostics``, and the object is not
        ///     shown.
        ///   - isolation: of the caller; leave it out.
        ///
        /// Threads: any. Cost: none here. While a page is open and something happens, a look at the
        /// graph where the object belongs, once a second at most: ``ObservationGraph``.
        public static func add(
            _ root: some ObservableHost, name: String, on loop: DeliveryLoop? = nil,
            isolation: (any Actor)? = #isolation
        ) {
            let place = DeliveryLoop.place(loop, isolation)
            guard !place.isManual else {
                let error = ObservationError(
                    .argument,
                    "an object of a loop that the program drains cannot be shown: nothing can be "
                        + "asked there")
                ObservationDiagnostics.tellRefused(error)
                return
            }
            InspectorServer.shared.roots.add(root, name, place)
        }

        /// Serves the page until ``stopServing()``. All that happens is traced meanwhile
        /// (``ObservationTrace``), whether a page is open or not: each set costs some microseconds
        /// more. The newest 1,000 events are kept; how many a page could not take in time stands on
        /// it.
        ///
        /// - Parameter port: 0: the system chooses.
        /// - Returns: the address of the page, `http://127.0.0.1:PORT/`.
        /// - Throws: ``ObservationError`` of kind `argument`: the port is none, or cannot be taken,
        ///   and the message says why; of kind `limit`: the page is served already, or begins or
        ///   ends at this moment.
        ///
        /// Threads: any.
        @discardableResult
        public static func serve(port: Int = 0) async throws(ObservationError) -> String {
            try await InspectorServer.shared.serve(port)
        }

        /// Ends the page, and the connections of browsers. Nothing happens if it is not served.
        ///
        /// Threads: any. When it returns nothing is traced for the page any more, and its port is
        /// free.
        public static func stopServing() async {
            await InspectorServer.shared.stop()
        }
    }
#endif
