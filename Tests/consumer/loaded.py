# SPDX-License-Identifier: Apache-2.0
"""Loads the shared library that the first argument names, as a binding does."""
import ctypes
import sys
import threading

library = ctypes.CDLL(sys.argv[1])
library.obv_context_destroy.argtypes = [ctypes.c_void_p]


def make_and_end():
    context = ctypes.c_void_p()
    assert library.obv_context_create(None, ctypes.byref(context)) == 0
    assert library.obv_context_destroy(context) == 0


assert library.obv_version() >= 100
make_and_end()
thread = threading.Thread(target=make_and_end)
thread.start()
thread.join()
