"""A small fake of the Kubernetes API server, with TLS, tokens, and answers that a test chooses."""

import json
import ssl
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from pathlib import Path
from threading import Event, Thread

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

Answer = Callable[["Handler"], None]


@dataclass
class FakeApiServer:
    """The received requests and the next answers. It answers 200 when `answers` is empty."""

    folder: Path
    port: int = 0
    asked: list[tuple[str, str, str, object]] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)
    annotations: dict[str, str] = field(default_factory=dict)
    end: Event = field(default_factory=Event)

    @property
    def url(self) -> str:
        return f"https://127.0.0.1:{self.port}"


class Handler(BaseHTTPRequestHandler):
    api: FakeApiServer

    def do_PATCH(self) -> None:
        patch = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.api.asked.append((self.path, self.headers["Authorization"], self.headers["Content-Type"], patch))
        if self.api.answers:
            self.api.answers.pop(0)(self)
            return
        self.api.annotations |= patch["metadata"]["annotations"]
        refuse(200)(self)

    def log_message(self, *_: object) -> None: ...


def refuse(status: int) -> Answer:
    """Answer with `status` and a body."""

    def answer(handler: Handler) -> None:
        handler.send_response(status)
        body = json.dumps({"kind": "Status", "code": status}).encode()
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    return answer


def cut(handler: Handler) -> None:
    """End the connection in the middle of the answer's first line."""
    handler.wfile.write(b"HTTP/1.1 20")
    handler.close_connection = True


def drip(handler: Handler) -> None:
    """Send one byte of the headers after the other, without end."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    try:
        while not handler.api.end.wait(0.02):
            handler.wfile.write(b"x")
            handler.wfile.flush()
    except OSError:
        handler.close_connection = True


def hold(handler: Handler) -> None:
    """Send no answer."""
    handler.api.end.wait(60)
    handler.close_connection = True


@contextmanager
def fake_api_server(folder: Path) -> Iterator[FakeApiServer]:
    """Serve on a free port of this host. `folder` gets the files of a pod."""
    key, certificate = _certificate()
    (folder / "ca.crt").write_bytes(certificate)
    (folder / "key.pem").write_bytes(key)
    for name, text in (("token", "first\n"), ("namespace", "courts"), ("pod", "court-worker-cpu-7x")):
        (folder / name).write_text(text)
    api = FakeApiServer(folder)
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (Handler,), {"api": api}))
    server.daemon_threads = True
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "ca.crt", folder / "key.pem")
    server.socket = context.wrap_socket(server.socket, server_side=True)
    api.port = server.server_address[1]
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield api
    finally:
        api.end.set()
        server.shutdown()
        server.server_close()
        thread.join()


def _certificate() -> tuple[bytes, bytes]:
    """A key and a certificate for 127.0.0.1 that it signed itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "kube-apiserver")])
    now = datetime.fromtimestamp(time.time(), UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(hours=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return private, certificate.public_bytes(serialization.Encoding.PEM)
