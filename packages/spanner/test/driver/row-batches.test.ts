import { createRequire } from 'node:module'
import { PassThrough, Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import {
  MessageGate,
  type StreamLimits,
  collectRows,
  rowBatches,
  rowCollector,
} from '../../src/driver/result-stream.js'
import { decodeToken, encodeToken } from '../../src/driver/partitions.js'
import { rowDecoder } from '../../src/driver/values.js'
import { refusal, rejection } from '../../../core/test/support/refusal.js'
import { connection } from '../../../core/test/support/standstill.js'

const text = (stringValue: string) => ({ kind: 'stringValue', stringValue })
const fields = ['id', 'body'].map((name) => ({ name, type: { code: 'STRING' } }))

interface Message {
  readonly metadata?: unknown
  readonly values: object[]
  readonly resumeToken?: Buffer
  readonly chunkedValue?: boolean
}

/** A message with these rows, after which a stream can be resumed if it has a token. */
function message(ids: readonly number[], token?: string): Message {
  return {
    metadata: { rowType: { fields } },
    values: ids.flatMap((id) => [text(String(id)), text(`body ${id}`)]),
    ...(token !== undefined && { resumeToken: Buffer.from(token) }),
  }
}

const broken = (code: number) => Object.assign(new Error('connection lost'), { code })

type Request = (resumeToken?: Buffer) => Readable

const { partialResultStream } = createRequire(import.meta.url)(
  '@google-cloud/spanner/build/src/partial-result-stream.js',
) as { partialResultStream(request: Request, options: object): Readable }

/** The client's stream over answers that are sent one after another, each with or without an error at its end. */
function vendorStream(answers: readonly (readonly (Message | Error)[])[]) {
  const tokens: (string | undefined)[] = []
  const stream = partialResultStream((token) => {
    tokens.push(token?.toString())
    const answer = new PassThrough({ objectMode: true })
    const items = [...(answers[tokens.length - 1] ?? [])]
    const play = (): void => {
      const item = items.shift()
      if (item === undefined) answer.end()
      else if (item instanceof Error) answer.destroy(item)
      else {
        answer.write(item)
        setTimeout(play, 1)
      }
    }
    setTimeout(play, 1)
    return answer
  }, {})
  return { stream, tokens }
}

const PATIENT: StreamLimits = { timeoutMs: undefined, silence: 600_000 }

function batches(stream: Readable, limits = PATIENT, gate = new MessageGate()) {
  const types = [{ kind: 'string' }, { kind: 'string' }] as const
  return rowBatches(stream, gate, rowDecoder(types as never), types.length, limits)
}

async function idsOf(
  rows: AsyncIterable<readonly (readonly unknown[])[]>,
  into: number[] = [],
): Promise<number[]> {
  for await (const batch of rows) into.push(...batch.map(([id]) => Number(id)))
  return into
}

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at)

describe('a result stream', () => {
  it('returns each row once when the stream is resumed after a token', async () => {
    const { stream, tokens } = vendorStream([
      [message([1, 2], 'a'), message([3]), broken(14)],
      [message([3, 4], 'b'), broken(14)],
      [message([5])],
    ])
    expect(await idsOf(batches(stream))).toEqual([1, 2, 3, 4, 5])
    expect(tokens).toEqual([undefined, 'a', 'b'])
  })

  it('returns each row once when the stream begins again without a token', async () => {
    const { stream, tokens } = vendorStream([
      [message([1]), message([2]), broken(14)],
      [message([1, 2, 3], 'a')],
    ])
    expect(await idsOf(batches(stream))).toEqual([1, 2, 3])
    expect(tokens).toEqual([undefined, undefined])
  })

  it('fails with UNAVAILABLE when the connection breaks after too many messages without a token', async () => {
    const { stream } = vendorStream([
      [...range(0, 12).map((id) => message([id])), broken(14)],
      [message([0])],
    ])
    const ids: number[] = []
    expect(await rejection(idsOf(batches(stream), ids))).toMatchObject({
      code: 'UNAVAILABLE',
      retryable: true,
    })
    expect(ids).toEqual(range(0, 12))
  })

  it('fails at once with an error that is not retryable', async () => {
    const { stream, tokens } = vendorStream([[message([1], 'a'), broken(7)]])
    expect(await rejection(idsOf(batches(stream)))).toMatchObject({ code: 'DATABASE', retryable: false })
    expect(tokens).toHaveLength(1)
  })

  it('joins values that are split between messages, also after the stream is resumed', async () => {
    const half = (values: object[], token?: string): Message => ({
      ...message([], token),
      values,
      chunkedValue: true,
    })
    const { stream } = vendorStream([
      [half([text('1'), text('one and ')], 'a'), broken(14)],
      [{ values: [text('a half'), text('2'), text('two')] }],
    ])
    const rows = []
    for await (const batch of batches(stream)) rows.push(...batch)
    expect(rows).toEqual([
      ['1', 'one and a half'],
      ['2', 'two'],
    ])
  })

  it('fails with TIMEOUT when the database is silent for too long or timeoutMs has passed', async () => {
    const silent = () => new PassThrough({ objectMode: true })
    expect(await rejection(idsOf(batches(silent(), { timeoutMs: undefined, silence: 20 })))).toMatchObject({
      code: 'TIMEOUT',
      message: expect.stringContaining('within 20 ms'),
    })
    expect(await rejection(idsOf(batches(silent(), { timeoutMs: 10, silence: 500 })))).toMatchObject({
      code: 'TIMEOUT',
      message: expect.stringContaining('within 10 ms'),
    })
  })

  it.each<[string, (stream: Readable) => Promise<readonly unknown[]>]>([
    ['silence', (stream) => idsOf(batches(stream, { timeoutMs: undefined, silence: 20 }))],
    ['timeoutMs', (stream) => idsOf(batches(stream, { timeoutMs: 20, silence: 600_000 }))],
    [
      'timeout of the call',
      async (stream) => {
        const take = rowCollector(rowDecoder([{ kind: 'string' }, { kind: 'string' }] as never), 2)
        const rows = await collectRows(stream, new MessageGate(), take, 20, {})
        return rows.map(([id]) => Number(id))
      },
    ],
  ])(
    'returns rows that arrived while the process was blocked for longer than the time limit: %s',
    async (_, read) => {
      const { socket, answerInStandstill } = await connection()
      const stream = new PassThrough({ objectMode: true })
      socket.once('data', () => {
        stream.emit('response', message([1]))
        stream.end()
      })
      const rows = read(stream)
      answerInStandstill(20)
      expect(await rows).toEqual([1])
    },
  )

  it('fails when a value cannot be decoded', async () => {
    const { stream } = vendorStream([[message([1], 'a'), message([2])]])
    const failing = rowBatches(
      stream,
      new MessageGate(),
      () => {
        throw new TypeError('no such value')
      },
      2,
      PATIENT,
    )
    await expect(failing.next()).rejects.toThrow('no such value')
  })
})

describe('MessageGate', () => {
  function guarded() {
    const gate = new MessageGate()
    const done: string[] = []
    const interceptor = gate.interceptors[1] as (options: unknown, next: () => Call) => Call
    const call = interceptor({}, () => ({
      startRead: () => done.push('read'),
      cancelWithStatus: (status) => done.push(`cancelled ${status}`),
    }))
    return { gate, done, call, interceptor }
  }
  interface Call {
    startRead(): void
    cancelWithStatus(status: number, details: string): void
  }

  it('lets one message through at a time, and no message while the gate is shut', () => {
    const { gate, done, call } = guarded()
    call.startRead()
    gate.shut()
    call.startRead()
    expect(done).toEqual(['read'])
    gate.open()
    gate.open()
    expect(done).toEqual(['read', 'read'])
  })

  it('cancels a call whose next message waits at the shut gate', () => {
    const { gate, done, call } = guarded()
    gate.shut()
    call.startRead()
    gate.cancel()
    gate.open()
    expect(done).toEqual(['cancelled 1'])
  })
})

describe('the token of a query partition', () => {
  const database = 'projects/p/instances/i/databases/d'
  const position = { session: `${database}/sessions/s`, transaction: 'dA==', partition: 'cA==' }

  it('decodeToken() returns the session, the transaction and the partition of encodeToken()', () => {
    expect(decodeToken(encodeToken(position), database)).toEqual(position)
    expect(decodeToken(encodeToken(position), database.replace('/p/', '/{{projectId}}/'))).toEqual(position)
  })

  it.each([
    '',
    'no token',
    Buffer.from('[1, 2, 3]').toString('base64url'),
    Buffer.from('["a"]').toString('base64'),
  ])('decodeToken() rejects a malformed token with INVALID_QUERY_PARTITION: %s', (token) => {
    expect(refusal(() => decodeToken(token, database)).code).toBe('INVALID_QUERY_PARTITION')
  })

  it('decodeToken() rejects the token of another database with INVALID_QUERY_PARTITION', () => {
    const elsewhere = `${database}2`
    expect(refusal(() => decodeToken(encodeToken(position), elsewhere)).message).toContain(
      `The query partition is one of ${database}, not of ${elsewhere}.`,
    )
    expect(refusal(() => decodeToken(encodeToken(position), 'projects/q/instances/i/databases/d')).code).toBe(
      'INVALID_QUERY_PARTITION',
    )
  })
})
