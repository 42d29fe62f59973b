"""Replaces nvidia-cuda-mps-control on machines without a GPU. `control_program` installs it as a program.

With `-d -multiuser-server`, it starts a daemon that answers on the socket `control` of its pipe directory.
Without arguments, it sends the commands on standard input to that socket, one after the other. The daemon has
one server, a process that sleeps. Tests control the daemon through files in its log directory: `clients`, one
process id a line; `faulted`; `initializing`; `refuses`; `deaf`, which makes it answer nothing. Like the real
daemon, it waits for a client that was stopped.
"""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

PIPES = Path(os.environ["CUDA_MPS_PIPE_DIRECTORY"])
STATES = {"faulted": "FAULT", "initializing": "INITIALIZING"}
LOGS = Path(os.environ["CUDA_MPS_LOG_DIRECTORY"])


def say(command: str) -> None:
    """Send one command as a client, and return the answer."""
    with socket.socket(socket.AF_UNIX) as channel:
        try:
            channel.connect(str(PIPES / "control"))
        except OSError:
            sys.stdout.write("Cannot find MPS control daemon process\n")
            sys.exit(1)
        channel.sendall(command.encode())
        channel.shutdown(socket.SHUT_WR)
        while block := channel.recv(4096):
            sys.stdout.write(block.decode())


class Daemon:
    def __init__(self) -> None:
        self.servers: list[subprocess.Popen[bytes]] = []

    def start_server(self) -> None:
        if not self.servers:
            self.servers.append(subprocess.Popen([__file__, "--server"], stdout=subprocess.DEVNULL))

    def clients(self) -> list[str]:
        path = LOGS / "clients"
        return path.read_text().split() if path.exists() else []

    def terminate(self, client: str) -> None:
        while self.stopped(client):
            time.sleep(0.01)
        (LOGS / "clients").write_text("\n".join(c for c in self.clients() if c != client))

    def stopped(self, client: str) -> bool:
        try:
            return Path("/proc", client, "stat").read_text().rpartition(")")[2].split()[0] == "T"
        except OSError:
            return False

    def answer(self, command: str) -> str | None:  # noqa: PLR0911 - one for each command
        words = command.split()
        with (LOGS / "control.log").open("a") as log:
            log.write(f"{command}\n")
        if (LOGS / "refuses").exists() and words[0] not in ("get_server_list", "get_client_list"):
            return "Insufficient privileges\n"
        self.servers = [server for server in self.servers if server.poll() is None]
        listed = {str(server.pid) for server in self.servers}
        match words:
            case ["get_server_list"]:
                return "".join(f"{pid}\n" for pid in listed)
            case ["start_server", "-uid", _]:
                self.start_server()
                return ""
            case ["get_server_status", pid] if pid in listed:
                return (
                    f"{next((state for file, state in STATES.items() if (LOGS / file).exists()), 'ACTIVE')}\n"
                )
            case ["get_client_list", pid] if pid in listed:
                return "".join(f"{client}\n" for client in self.clients())
            case ["terminate_client", pid, client] if pid in listed and client in self.clients():
                self.terminate(client)
                return ""
            case ["set_default_device_pinned_mem_limit", "0", _]:
                return ""
            case ["quit"]:
                for server in self.servers:
                    server.kill()
                    server.wait()
                return None
        return f"Error: {command}\n"

    def serve(self, listener: socket.socket) -> None:
        while True:
            channel, _ = listener.accept()
            with channel:
                command = channel.makefile().read().strip()
                if (LOGS / "deaf").exists():
                    signal.pause()
                said = self.answer(command)
                if said is None:
                    (PIPES / "control").unlink()
                    return
                channel.sendall(said.encode())


def main() -> None:
    if "--server" in sys.argv:
        signal.pause()
    if "-d" not in sys.argv:
        for line in sys.stdin:
            say(line.strip())
        return
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(PIPES / "control"))
    listener.listen()
    if os.fork() == 0:  # the daemon keeps standard output open, as a real one might
        os.setsid()
        (LOGS / "environment").write_text("\n".join(sorted(os.environ)))
        (LOGS / "arguments").write_text(" ".join(sys.argv[1:]))
        (PIPES / "nvidia-cuda-mps-control.pid").write_text(str(os.getpid()))
        Daemon().serve(listener)


if __name__ == "__main__":
    main()
