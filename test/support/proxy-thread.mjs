// A proxy in a separate thread, which continues while the thread of the tests is suspended. See `paused.ts`.
import { connect, createServer } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'

const { target, protocol, shared } = workerData
const [host, port] = target.split(':')
const [ASKED, HOLDS] = [0, 1]
const state = new Int32Array(shared)

const HEADER = 9
/** How the requests of a connection are counted: each begins with a header that contains the length of the rest. */
const PROTOCOLS = {
  // https://www.rfc-editor.org/rfc/rfc9113#section-4.1: the last frame of a request ends its stream.
  http2: {
    preface: 24,
    length: (header) => header.readUIntBE(0, 3),
    isRequest: (header) => header[3] <= 1 && (header[4] & 1) === 1,
  },
  // https://github.com/apache/cassandra/blob/trunk/doc/native_protocol_v4.spec: QUERY, EXECUTE and BATCH.
  cql: {
    preface: 0,
    length: (header) => header.readUInt32BE(5),
    isRequest: (header) => [0x07, 0x0a, 0x0d].includes(header[4]),
  },
}

function requestCounter({ preface, length, isRequest }) {
  let skipped = preface
  let rest = Buffer.alloc(0)
  return (bytes) => {
    rest = Buffer.concat([rest, bytes])
    for (;;) {
      const step = Math.min(skipped, rest.length)
      rest = rest.subarray(step)
      skipped -= step
      if (skipped > 0 || rest.length < HEADER) return
      if (isRequest(rest)) Atomics.add(state, ASKED, 1)
      skipped = HEADER + length(rest)
    }
  }
}

const server = createServer((client) => {
  const engine = connect(Number(port), host)
  const count = requestCounter(PROTOCOLS[protocol])
  const held = []
  client.on('data', (bytes) => {
    engine.write(bytes)
    count(bytes)
  })
  engine.on('data', (bytes) => held.push(bytes))
  // The thread of the tests signals its suspension in shared memory, because it cannot send a message then.
  const passing = setInterval(() => {
    if (Atomics.load(state, HOLDS) === 0) for (const bytes of held.splice(0)) client.write(bytes)
  }, 1)
  for (const [socket, other] of [
    [client, engine],
    [engine, client],
  ]) {
    socket.setNoDelay(true)
    socket.on('error', () => {})
    socket.on('close', () => {
      clearInterval(passing)
      other.destroy()
    })
  }
})
server.listen(0, '127.0.0.1', () => parentPort.postMessage(`127.0.0.1:${server.address().port}`))
