import { untilItWorks, withinTime } from '@isotherm/core/local'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { connection } from '../support/standstill.js'

it('withinTime() accepts an answer that arrived while the process was blocked beyond the limit', async () => {
  const { socket, answerInStandstill } = await connection()
  const answered = withinTime(20, 'no answer', once(socket, 'data'))
  answerInStandstill(20)
  await expect(answered).resolves.toEqual([Buffer.from('answer')])
})

const within = { timeoutMs: 5, pauseMs: 1, missing: 'no answer' }

it('untilItWorks() lets a slow first attempt end after the limit, and reports its error', async () => {
  const attempt = async (): Promise<void> => {
    await delay(50)
    throw new Error('refused')
  }
  await expect(untilItWorks(attempt, within, undefined)).rejects.toThrow(
    'no answer (within 0.005 s). The last attempt said: refused',
  )
})

it('untilItWorks() accepts a first attempt that succeeds after the limit', async () => {
  let attempts = 0
  const attempt = async (): Promise<void> => {
    attempts++
    await delay(50)
  }
  await untilItWorks(attempt, within, undefined)
  expect(attempts).toBe(1)
})

it('untilItWorks() rejects with CANCELLED when the signal aborts during the first attempt', async () => {
  const calledOff = new AbortController()
  const attempt = async (): Promise<void> => {
    await delay(20)
    calledOff.abort()
    return new Promise(() => {})
  }
  await expect(untilItWorks(attempt, within, calledOff.signal)).rejects.toMatchObject({ code: 'CANCELLED' })
})
