"""Prints one line for each event that Tenure delivers. Start: SIGNING_SECRET=whsec_… python3 python.py"""

import hmac
import json
import os
import re
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def verify(header: str, body: bytes, secret: str) -> None:
    """Raises ValueError unless body, as it arrived, was signed with the secret, no more than five minutes from now."""
    fields = dict(part.partition("=")[::2] for part in header.split(","))
    timestamp, signature = fields.get("t", ""), fields.get("v1", "")
    if not re.fullmatch("[0-9]{1,12}", timestamp) or not signature:
        raise ValueError("missing or malformed Service-Signature")
    if abs(time.time() - int(timestamp)) > 300:
        raise ValueError("timestamp more than 5 minutes away")
    expected = hmac.new(secret.encode(), timestamp.encode() + b"." + body, "sha256").hexdigest()
    # As bytes, because compare_digest raises TypeError for text that is not ASCII.
    if not hmac.compare_digest(expected.encode(), signature.encode()):
        raise ValueError("wrong signature")


class Receiver(BaseHTTPRequestHandler):
    timeout = 10  # seconds that a silent client can hold its thread

    def do_POST(self) -> None:
        try:
            body = self.read_body()
            verify(self.headers.get("Service-Signature", ""), body, secret)
            event = json.loads(body)
        except ValueError as error:
            print(f"refused: {error}", flush=True)
            return self.answer(400)
        with lock:
            is_duplicate = event["id"] in seen
            seen.add(event["id"])
        if is_duplicate:
            print(f"duplicate {event['id']}", flush=True)
        else:
            print(f"verified {event['id']} {event['type']} {event['data']['object']['id']}", flush=True)
        self.answer(204)

    def do_GET(self) -> None:
        self.answer(405)

    def read_body(self) -> bytes:
        length = self.headers.get("Content-Length", "")
        if not re.fullmatch("[0-9]{1,7}", length) or int(length) > 1_000_000:
            raise ValueError("body over 1 MB or without Content-Length")
        return self.rfile.read(int(length))

    def answer(self, status: int) -> None:
        self.send_response(status)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """No access log."""


secret = os.environ.get("SIGNING_SECRET", "")
if not secret:
    sys.exit("SIGNING_SECRET is missing: set it to the whsec_… of your webhook endpoint.")

# Events can arrive more than once. In memory for the sketch: keep the ids in your database, together with what you did.
seen = set()
lock = threading.Lock()
ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "5000"))), Receiver).serve_forever()
