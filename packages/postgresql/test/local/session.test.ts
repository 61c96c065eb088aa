import type { PGlite } from '@electric-sql/pglite'
import { expect, it, vi } from 'vitest'
import { message } from '../../src/local/messages.js'
import { Session, SessionBusy, SessionLost, type Turn } from '../../src/local/session.js'

const HOUR = 3_600_000

/** A session whose database does not matter. */
const idle = (waitTimeoutMs: number): Session => new Session({} as PGlite, waitTimeoutMs, () => {})

it('take() gives turns in the order in which clients asked for them', async () => {
  const session = idle(HOUR)
  const first = await session.take()
  const order: string[] = []
  const turns = ['second', 'third', 'fourth'].map(async (name) => {
    const turn = await session.take()
    order.push(name)
    turn.end()
  })
  expect(order).toEqual([])
  first.end()
  await Promise.all(turns)
  expect(order).toEqual(['second', 'third', 'fourth'])
})

it('a turn ends once: a second end() does not end the turn of the next client', async () => {
  const session = idle(HOUR)
  const first = await session.take()
  const second = session.take()
  first.end()
  first.end()
  const order: string[] = []
  const third = session.take().then((turn) => {
    order.push('third')
    turn.end()
  })
  const taken = await second
  order.push('second')
  taken.end()
  await third
  expect(order).toEqual(['second', 'third'])
})

it('take() fails after the time limit while the session is idle, and others keep their order', async () => {
  vi.useFakeTimers()
  try {
    const session = idle(1_000)
    const first = await session.take()
    const failed = session.take()
    const patient = session.take({ isPatient: true })
    // Before it fails, so that it does not count as unhandled.
    const error = failed.catch((thrown: unknown) => thrown)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(await error).toBeInstanceOf(SessionBusy)
    first.end()
    ;(await patient).end()
  } finally {
    vi.useRealTimers()
  }
})

it('take() waits longer while the session answers statements', async () => {
  vi.useFakeTimers()
  try {
    const answering = { execProtocolRawStream: async () => {} } as unknown as PGlite
    const session = new Session(answering, 1_000, () => {})
    const first = await session.take()
    const second = session.take()
    for (let statement = 0; statement < 3; statement++) {
      await vi.advanceTimersByTimeAsync(999)
      await first.send(message('P', 'name', 'SELECT 1', Buffer.alloc(2)))
    }
    first.end()
    await expect(second).resolves.toBeDefined()
  } finally {
    vi.useRealTimers()
  }
})

it('take() fails with the reason of its signal, and does not keep its position', async () => {
  const session = idle(HOUR)
  const first = await session.take()
  const controller = new AbortController()
  const cancelled = session.take({ signal: controller.signal })
  const next = session.take()
  const reason = new Error('no longer needed')
  controller.abort(reason)
  await expect(cancelled).rejects.toBe(reason)
  first.end()
  ;(await next).end()
})

it.each([
  ['throws', async () => Promise.reject(new Error('exit(1)'))],
  ['answers a statement without saying that it is ready', async () => {}],
])('send() fails for all clients after a PGlite that %s', async (_, execProtocolRawStream) => {
  const lost: Error[] = []
  const session = new Session({ execProtocolRawStream } as unknown as PGlite, HOUR, (error) =>
    lost.push(error),
  )
  const ask = (turn: Turn) => turn.send(message('Q', 'SELECT 1'))
  const turn = await session.take()
  await expect(ask(turn)).rejects.toThrow('by the statement: SELECT 1.')
  turn.end()
  await expect(ask(await session.take())).rejects.toThrow(SessionLost)
  expect(lost).toHaveLength(1)
})
