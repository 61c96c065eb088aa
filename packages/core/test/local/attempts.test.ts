import { untilItWorks, withinTime } from '@isotherm/core/local'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { connection } from '../support/standstill.js'

it('takes an answer that arrived while the process stood still beyond the limit', async () => {
  const { socket, answerInStandstill } = await connection()
  const answered = withinTime(20, 'no answer', once(socket, 'data'))
  answerInStandstill(20)
  await expect(answered).resolves.toEqual([Buffer.from('answer')])
})

const within = { timeoutMs: 5, pauseMs: 1, missing: 'no answer' }

it('lets the first attempt end that is slower than the limit, and says what it said', async () => {
  const attempt = async (): Promise<void> => {
    await delay(50)
    throw new Error('refused')
  }
  await expect(untilItWorks(attempt, within, undefined)).rejects.toThrow(
    'no answer (within 0.005 s). The last attempt said: refused',
  )
})

it('takes a first attempt that is slower than the limit, and works', async () => {
  let attempts = 0
  const attempt = async (): Promise<void> => {
    attempts++
    await delay(50)
  }
  await untilItWorks(attempt, within, undefined)
  expect(attempts).toBe(1)
})

it('does not wait for a first attempt that is called off', async () => {
  const calledOff = new AbortController()
  const attempt = async (): Promise<void> => {
    await delay(20)
    calledOff.abort()
    return new Promise(() => {})
  }
  await expect(untilItWorks(attempt, within, calledOff.signal)).rejects.toMatchObject({ code: 'CANCELLED' })
})
