"""A cable between two processes that can be cut: a proxy that forwards bytes until it is told to stop."""

from __future__ import annotations

import contextlib
import selectors
import socket
import threading
import time


class Cable:
    """Listens on a port of its own and forwards to another port of this machine."""

    def __init__(self, to_port: int) -> None:
        self.to_port = to_port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._whole = threading.Event()
        self._whole.set()
        self._silent = threading.Event()
        self._open: set[socket.socket] = set()
        threading.Thread(target=self._accept, name="cable", daemon=True).start()

    def cut(self) -> None:
        """Ends every connection in the middle, and takes no new one."""
        self._whole.clear()
        for sock in list(self._open):
            with contextlib.suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)

    def hush(self) -> None:
        """Carries nothing more, and ends nothing: the other side seems to think."""
        self._silent.set()

    def mend(self) -> None:
        """Carries again. What was sent into the silence arrives now."""
        self._silent.clear()
        self._whole.set()

    def _accept(self) -> None:
        while True:
            near, _ = self._listener.accept()
            if not self._whole.is_set():
                near.close()
                continue
            try:
                far = socket.create_connection(("127.0.0.1", self.to_port), timeout=5)
            except OSError:
                near.close()
                continue
            far.settimeout(None)
            threading.Thread(target=self._carry, args=(near, far), daemon=True).start()

    def _carry(self, near: socket.socket, far: socket.socket) -> None:
        ends = {near: far, far: near}
        self._open |= set(ends)
        with selectors.DefaultSelector() as ready, contextlib.suppress(OSError):
            for sock in ends:
                ready.register(sock, selectors.EVENT_READ)
            carries = True
            while carries:
                for key, _ in ready.select(0.5):
                    assert isinstance(key.fileobj, socket.socket)
                    while self._silent.is_set() and self._whole.is_set():
                        time.sleep(0.05)
                    if not (data := key.fileobj.recv(65536)):
                        carries = False
                        break
                    ends[key.fileobj].sendall(data)
        self._open -= set(ends)
        for sock in ends:
            sock.close()
