"""Ctrl-C means what it usually means, also where the tests run as a background job of a shell, which ignores it."""

import signal

signal.signal(signal.SIGINT, signal.default_int_handler)
