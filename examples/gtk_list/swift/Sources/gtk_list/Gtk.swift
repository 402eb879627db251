// SPDX-License-Identifier: Apache-2.0

import CGtk

// GTK's casts and signals, which are macros in C.

typealias Widget = UnsafeMutablePointer<GtkWidget>

extension UnsafeMutablePointer {
    /// The same object as one of another class.
    func cast<Class>() -> UnsafeMutablePointer<Class> {
        UnsafeMutableRawPointer(self).assumingMemoryBound(to: Class.self)
    }
    var opaque: OpaquePointer { OpaquePointer(self) }
    var raw: UnsafeMutableRawPointer { UnsafeMutableRawPointer(self) }
}

/// A signal that says which object it is about.
typealias SignalOfItem =
    @convention(c) (UnsafeMutableRawPointer, OpaquePointer, UnsafeMutableRawPointer) -> Void
/// One without.
typealias Signal = @convention(c) (UnsafeMutableRawPointer, UnsafeMutableRawPointer) -> Void

func connect(
    _ object: UnsafeMutableRawPointer, _ signal: String, _ receiver: AnyObject,
    _ callback: SignalOfItem
) {
    connect(object, signal, receiver, unsafeBitCast(callback, to: GCallback.self))
}

func connect(
    _ object: UnsafeMutableRawPointer, _ signal: String, _ receiver: AnyObject, _ callback: Signal
) {
    connect(object, signal, receiver, unsafeBitCast(callback, to: GCallback.self))
}

/// The receiver lives as long as the program.
private func connect(
    _ object: UnsafeMutableRawPointer, _ signal: String, _ receiver: AnyObject,
    _ callback: @escaping GCallback
) {
    g_signal_connect_data(
        object, signal, callback, Unmanaged.passUnretained(receiver).toOpaque(), nil,
        GConnectFlags(rawValue: 0))
}

func receiver<Object: AnyObject>(_ data: UnsafeMutableRawPointer) -> Object {
    Unmanaged.fromOpaque(data).takeUnretainedValue()
}

/// Keeps an object with one of GTK's, and gives it back.
func keep(_ object: AnyObject?, as name: String, in owner: UnsafeMutablePointer<GObject>) {
    g_object_set_data_full(
        owner, name, object.map { Unmanaged.passRetained($0).toOpaque() },
        { data in
            if let data { Unmanaged<AnyObject>.fromOpaque(data).release() }
        })
}

func kept<Object: AnyObject>(_ name: String, in owner: UnsafeMutablePointer<GObject>) -> Object? {
    g_object_get_data(owner, name).map {
        Unmanaged<Object>.fromOpaque($0).takeUnretainedValue()
    }
}
