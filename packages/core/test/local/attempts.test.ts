import { withinTime } from '@isotherm/core/local'
import { once } from 'node:events'
import { expect, it } from 'vitest'
import { connection } from '../support/standstill.js'

it('takes an answer that arrived while the process stood still beyond the limit', async () => {
  const { socket, answerInStandstill } = await connection()
  const answered = withinTime(20, 'no answer', once(socket, 'data'))
  answerInStandstill(20)
  await expect(answered).resolves.toEqual([Buffer.from('answer')])
})
