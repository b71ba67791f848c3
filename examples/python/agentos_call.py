#!/usr/bin/env python3
"""Calls one tool over a Unix socket, from internal/wire/PROTOCOL.md alone.

    agentos proxy --listen /tmp/agentos/proxy.sock &
    python3 agentos_call.py /tmp/agentos/proxy.sock weather forecast '{"city":"Paris"}'

prints the envelope and exits with the call's status; an input of - is read from stdin.
A whole guest does more after a lost connection: it asks for its call by the id (section 6).
"""
import json, re, secrets, socket, struct, sys
OPEN, PRESENT, CALL, ACCEPTED, NOTE, RESULT, ACK, PING, PONG, FAIL = 1, 2, 3, 5, 10, 11, 12, 13, 14, 15
MORE, OPTIONAL, MAX_FRAME, MAX_MESSAGE = 1, 2, 1 << 20, (16 << 20) + (64 << 10)
EXIT = dict(USAGE_ERROR=2, VALIDATION_ERROR=2, TOOL_NOT_FOUND=2, CALL_ID_CONFLICT=2, CALL_NOT_FOUND=2, HOST_UNREACHABLE=69,
            INTERNAL_ERROR=70, OUTPUT_ERROR=74, BUSY=75, OUTCOME_UNKNOWN=76, PERMISSION_DENIED=77, APPROVAL_REFUSED=77,
            APPROVAL_PENDING=79, TIMEOUT=124, TOOLKIT_NOT_FOUND=127, CANCELLED=130)  # any other: 1

class Link:
    def __init__(self, path):
        self.called, self.joined, self.socket = False, b"", socket.socket(socket.AF_UNIX)
        self.socket.settimeout(15)  # seconds without a byte: the host sends PING after 5
        self.socket.connect(path)
        self.file = self.socket.makefile("rb")

    def send(self, kind, text):
        data = text.encode()
        for at in range(0, len(data), MAX_FRAME):
            part, more = data[at:at + MAX_FRAME], at + MAX_FRAME < len(data)
            try:
                self.socket.sendall(struct.pack(">IBBH", len(part), kind, 0, MORE if more else 0) + part)
            except OSError:
                return  # the host may have said why it closed the connection: receive tells

    def receive(self):
        """The type of the next message, and the members of its JSON."""
        while True:
            length, kind, _, flags = struct.unpack(">IBBH", self.read(8))
            payload = self.read(length)
            if kind == PING:
                self.send(PONG, "{}")
            elif flags & MORE:
                self.joined += payload
            elif kind in (PRESENT, RESULT):
                payload, self.joined = self.joined + payload, b""
                return kind, members(payload.decode())
            elif kind in (ACCEPTED, NOTE, FAIL):
                return kind, members(payload.decode())
            elif kind != PONG and not flags & OPTIONAL:
                raise OSError("the host sent a message of type %d" % kind)

    def read(self, length):
        if length > MAX_FRAME or len(self.joined) + length > MAX_MESSAGE:
            raise OSError("the host sent a message that is too long")
        data = self.file.read(length)
        if len(data) < length:
            raise OSError("the host closed the connection")
        return data

def members(text):
    """The members of a JSON object as they are written, so that no number changes."""
    skip, value, found, at = re.compile(r"[\s{,:]*"), json.JSONDecoder().raw_decode, {}, 0
    while text[at := skip.match(text, at).end()] != "}":
        name, at = value(text, at)
        start = re.compile(r"[\s:]*").match(text, at).end()
        found[name] = text[start:(at := value(text, start)[1])]
    return found

def printable(text):
    """JSON on one line, without what a terminal obeys."""
    return re.sub("[\x7f-\x9f\u2028\u2029]", lambda c: "\\u%04x" % ord(c[0]), re.sub(r"[\t\n\r]", " ", text))

def outcome(link, id, toolkit, path, input):
    """The envelope that the call ends with."""
    link.send(OPEN, json.dumps({"v": [1], "toolkit": toolkit, "words": path, "want": "command"}))
    while True:
        kind, message = link.receive()
        if kind in (RESULT, FAIL):
            return message
        elif kind == PRESENT and "error" in message:
            return members(message["error"])
        elif kind == PRESENT:  # comes again in place of ACCEPTED when the definition has changed
            link.called = True
            link.send(CALL, '{"id":"%s","toolkit":%s,"path":%s,"input":%s,"revision":%s}' % (
                id, json.dumps(toolkit), json.dumps(path), input, message["revision"]))
        elif kind == NOTE:
            print(printable(message["text"]), file=sys.stderr)

at, toolkit, *path, input = sys.argv[1:]
json.loads(input := sys.stdin.read() if input == "-" else input)  # what is no JSON must not get into CALL
link, id = None, secrets.token_hex(16)
try:
    link = Link(at)
    envelope = outcome(link, id, toolkit, path, input)
except OSError as e:
    code = "OUTCOME_UNKNOWN" if link and link.called else "HOST_UNREACHABLE"
    envelope = {"ok": "false", "error": '"%s"' % code, "message": json.dumps(str(e)), "call": '"%s"' % id}
status = int(envelope.pop("exit", EXIT.get(json.loads(envelope.get("error", '""')), 1)))
print(printable("{%s}" % ",".join('"%s":%s' % member for member in envelope.items())), flush=True)
if link and link.called:
    link.send(ACK, '{"id":"%s"}' % id)
sys.exit(status)
