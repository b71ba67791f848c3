// Calls one tool over a Unix socket, from internal/wire/PROTOCOL.md alone.
//
//     agentos proxy --listen /tmp/agentos/proxy.sock &
//     node agentos-call.mjs /tmp/agentos/proxy.sock weather forecast '{"city":"Paris"}'
//
// prints the envelope and exits with the call's status; an input of - is read from stdin.
// A whole guest does more after a lost connection: it asks for its call by the id (section 6).
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
const OPEN = 1, PRESENT = 2, CALL = 3, ACCEPTED = 5, NOTE = 10, RESULT = 11, ACK = 12, PING = 13, PONG = 14, FAIL = 15;
const MORE = 1, OPTIONAL = 2, MAX_FRAME = 1 << 20, MAX_MESSAGE = (16 << 20) + (64 << 10);
const EXIT = {USAGE_ERROR: 2, VALIDATION_ERROR: 2, TOOL_NOT_FOUND: 2, CALL_ID_CONFLICT: 2, CALL_NOT_FOUND: 2,
  HOST_UNREACHABLE: 69, INTERNAL_ERROR: 70, OUTPUT_ERROR: 74, BUSY: 75, OUTCOME_UNKNOWN: 76, PERMISSION_DENIED: 77,
  APPROVAL_REFUSED: 77, APPROVAL_PENDING: 79, TIMEOUT: 124, TOOLKIT_NOT_FOUND: 127, CANCELLED: 130}; // any other: 1
const [at, toolkit, ...path] = process.argv.slice(2), id = randomUUID();
const input = ((word) => (word === "-" ? readFileSync(0, "utf8") : word))(path.pop());
JSON.parse(input); // what is no JSON must not get into CALL
let called = false, ended = false, arrived = Buffer.alloc(0), joined = [];
const socket = connect(at, () => send(OPEN, JSON.stringify({v: [1], toolkit, words: path, want: "command"})));
socket.setTimeout(15000, () => lost("the host is silent")); // it sends PING after 5 seconds
socket.on("data", take).on("error", (err) => lost(err.message)).on("close", () => lost("the host closed the connection"));

function send(type, text) {
  const data = Buffer.from(text);
  for (let at = 0; at < data.length; at += MAX_FRAME) {
    const part = data.subarray(at, at + MAX_FRAME), n = part.length;
    const header = [n >> 24, n >> 16, n >> 8, n, type, 0, 0, at + n < data.length ? MORE : 0];
    socket.write(Buffer.concat([Buffer.from(header), part]));
  }
}

// take handles the frames that are whole now, and keeps the rest.
function take(data) {
  arrived = Buffer.concat([arrived, data]);
  while (arrived.length >= 8 && !ended) {
    const length = arrived.readUInt32BE(), sum = joined.reduce((sum, part) => sum + part.length, length);
    if (length > MAX_FRAME || sum > MAX_MESSAGE) return lost("the host sent a message that is too long");
    if (arrived.length < 8 + length) return;
    const type = arrived[4], flags = arrived[7], payload = arrived.subarray(8, 8 + length);
    arrived = arrived.subarray(8 + length);
    if (type === PING) send(PONG, "{}");
    else if (flags & MORE) joined.push(payload);
    else if (type === PRESENT || type === RESULT) hear(type, Buffer.concat([...joined.splice(0), payload]));
    else if (type === ACCEPTED || type === NOTE || type === FAIL) hear(type, payload);
    else if (type !== PONG && !(flags & OPTIONAL)) lost(`the host sent a message of type ${type}`);
  }
}

function hear(type, payload) {
  const message = members(payload.toString());
  if (type === RESULT || type === FAIL) return end(message);
  if (type === NOTE) return console.error(printable(message.get("text")));
  if (type === PRESENT && message.has("error")) return end(members(message.get("error")));
  if (type !== PRESENT) return; // PRESENT comes again in place of ACCEPTED when the definition has changed
  called = true;
  const said = JSON.stringify({id, toolkit, path}).slice(0, -1); // the input goes on as it is, too
  send(CALL, `${said},"input":${input},"revision":${message.get("revision")}}`);
}

function lost(why) {
  const code = called ? "OUTCOME_UNKNOWN" : "HOST_UNREACHABLE";
  end(new Map(Object.entries({ok: "false", error: `"${code}"`, message: JSON.stringify(why), call: `"${id}"`})));
}

function end(envelope) {
  if (ended) return;
  ended = true;
  process.exitCode = Number(envelope.get("exit") ?? EXIT[JSON.parse(envelope.get("error"))] ?? 1);
  envelope.delete("exit");
  const text = printable(`{${[...envelope].map(([name, value]) => `"${name}":${value}`).join()}}`);
  process.stdout.write(text + "\n", () => {
    if (called) send(ACK, `{"id":"${id}"}`);
    socket.destroySoon();
  });
}

// members are those of a JSON object as they are written, so that no number changes.
function members(text) {
  const found = new Map();
  for (let i = 0, start = 0, depth = 0, name; i < text.length; i++) {
    const c = text[i], from = i;
    if (c === '"') {
      do i += text[i] === "\\" ? 2 : 1; while (text[i] !== '"');
      if (depth === 1) name ??= JSON.parse(text.slice(from, i + 1));
    } else if (c === ":" && depth === 1) start = i + 1;
    else if (c === "{" || c === "[") depth++;
    else if (c === "}" || c === "]") depth--;
    if (depth > 1 || (depth === 1 && c !== ",") || name === undefined) continue;
    found.set(name, text.slice(start, i).trim());
    name = undefined;
  }
  return found;
}

// printable is JSON on one line, without what a terminal obeys.
function printable(text) {
  const escape = (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0");
  return text.replace(/[\t\n\r]/g, " ").replace(/[\x7f-\x9f\u2028\u2029]/g, escape);
}
