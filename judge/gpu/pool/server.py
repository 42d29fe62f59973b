"""The secret pool: one process per GPU that keeps drawn sets.

Theory of operation. Its first client starts it (`judge.gpu.pool.client`). It belongs to no other process, and
exits when it has had no client for a while. It listens on a Unix socket to which only this user can connect,
so all clients are trusted. Each request is one packet with a JSON message, and so is each answer, which may
carry descriptors of sets. One thread serves all clients, since a request takes only microseconds or the time
of one allocation. When a client's connection ends, its uncommitted reservations are released.

On a GPU, the process has its own context outside MPS, in which no kernel ever runs, so a fault of an MPS
client does not affect it. If the process dies, only contents are lost, and oracles draw new ones.
"""

import argparse
import contextlib
import fcntl
import json
import os
import selectors
import signal
import socket
import struct
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from judge.gpu.pool.memory import allocator
from judge.gpu.pool.store import Rotation, Store

MESSAGE_BYTES = 4096
_TICK_S = 1.0
_MIB = 1 << 20
_BACKLOG = 64
_CREDENTIALS = struct.Struct("3i")  # pid, uid, gid


class SecretPoolServer:
    """Serves a store at `path` until it has been idle for `idle_s`."""

    def __init__(self, path: Path, store: Store, *, idle_s: float) -> None:
        self._path = path
        self._store = store
        self._idle_s = idle_s
        self._stopped = False
        self._selector = selectors.DefaultSelector()
        self._clients: set[socket.socket] = set()

    def serve(self) -> None:
        """Listen and answer until idle or stopped."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
            new = self._path.with_suffix(".new")
            new.unlink(missing_ok=True)
            listener.bind(str(new))
            new.chmod(0o600)
            listener.listen(_BACKLOG)
            new.replace(self._path)
            self._selector.register(listener, selectors.EVENT_READ)
            try:
                self._loop(listener)
            finally:
                for client in list(self._clients):
                    self._part(client)
                self._store.close()

    def stop(self) -> None:
        """Exit at the next tick."""
        self._stopped = True

    def _loop(self, listener: socket.socket) -> None:
        idle_since = time.monotonic()
        while not self._stopped:
            for key, _ in self._selector.select(_TICK_S):
                if key.fileobj is listener:
                    self._accept(listener)
                elif isinstance(key.fileobj, socket.socket):
                    self._serve(key.fileobj)
            if self._clients:
                idle_since = time.monotonic()
            elif time.monotonic() - idle_since > self._idle_s and self._withdraw():
                return

    def _accept(self, listener: socket.socket) -> None:
        client, _ = listener.accept()
        said = client.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
        _, uid, _ = _CREDENTIALS.unpack(said)
        if uid != os.geteuid():
            client.close()
            return
        client.settimeout(_TICK_S)  # a client that does not read must not stop the others
        self._clients.add(client)
        self._selector.register(client, selectors.EVENT_READ)

    def _serve(self, client: socket.socket) -> None:
        try:
            said = client.recv(MESSAGE_BYTES)
            if not said:
                self._part(client)
                return
            answer, descriptors = self._answer(client, json.loads(said))
        except (OSError, ValueError, KeyError, TypeError):
            self._part(client)
            return
        try:
            socket.send_fds(client, [json.dumps(answer).encode()], descriptors)
        except OSError:
            self._part(client)
        finally:
            for descriptor in descriptors:
                os.close(descriptor)

    def _answer(self, client: socket.socket, asked: Mapping[str, Any]) -> tuple[dict[str, object], list[int]]:
        store = self._store
        match asked["do"]:
            case "take":
                taken, lacking = store.take(
                    str(asked["key"]),
                    int(asked["count"]),
                    keep=int(asked["keep"]),
                    once=bool(asked["once"]),
                )
                descriptors = [entry.held.export() for entry in taken]
                store.retire_used()
                return {"lacking": lacking}, descriptors
            case "look":
                return dict(store.look(str(asked["key"]))), []
            case "reserve":
                return self._reserve(client, asked)
            case "commit":
                store.commit(int(asked["number"]), client, used=bool(asked["used"]))
            case "drop":
                store.drop(int(asked["number"]), client)
            case "counts":
                counts = {name: getattr(store.counts, name) for name in store.counts.__slots__}
                return {"pid": os.getpid(), "sets": store.sets, "size_bytes": store.size_bytes, **counts}, []
        return {}, []

    def _reserve(
        self, client: socket.socket, asked: Mapping[str, Any]
    ) -> tuple[dict[str, object], list[int]]:
        key, size_bytes, keep = str(asked["key"]), int(asked["size_bytes"]), int(asked["keep"])
        try:
            entry = self._store.reserve(key, size_bytes, client, keep=keep)
        except MemoryError as error:
            return {"error": str(error)}, []
        if entry is None:
            return {"number": None}, []
        return {"number": entry.number}, [entry.held.export()]

    def _part(self, client: socket.socket) -> None:
        if client in self._clients:
            self._clients.discard(client)
            self._selector.unregister(client)
            self._store.abandon(client)
            client.close()

    def _withdraw(self) -> bool:
        """Remove the socket's file, unless a client is starting a secret pool or connecting.

        Returns whether the file was removed.
        """
        with lock(self._path, wait=False) as locked:
            if not locked or self._selector.select(0):
                return False
            self._path.unlink(missing_ok=True)
            return True


@contextlib.contextmanager
def lock(path: Path, *, wait: bool = True) -> Iterator[bool]:
    """Hold the right to start or end the secret pool at `path`. Yields whether the lock is held."""
    descriptor = os.open(path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True
    finally:
        os.close(descriptor)


def main() -> None:
    """Run the process of one secret pool."""
    parser = argparse.ArgumentParser(description="Keep drawn sets in the memory of one GPU.")
    parser.add_argument("--socket", type=Path, required=True)
    parser.add_argument("--memory", choices=("host", "device"), required=True)
    parser.add_argument("--budget-mib", type=int, required=True)
    parser.add_argument("--max-uses", type=int, required=True)
    parser.add_argument("--max-age-s", type=float, required=True)
    parser.add_argument("--idle-s", type=float, required=True)
    options = parser.parse_args()
    rotation = Rotation(options.budget_mib * _MIB, max_uses=options.max_uses, max_age_s=options.max_age_s)
    store = Store(allocator(options.memory), rotation)
    server = SecretPoolServer(options.socket, store, idle_s=options.idle_s)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: server.stop())
    server.serve()


if __name__ == "__main__":
    main()
    sys.exit(0)
