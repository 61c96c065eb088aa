import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { generatedLog, openLog } from '../src/log/log-source.js'
import { UserError } from '../src/log/user-error.js'
import { linesOf } from './lines-of.js'

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'isotherm-log-'))
  await writeFile(join(folder, 'some.log'), 'one\r\ntwo\n\nfour')
  await writeFile(join(folder, 'empty.log'), '')
})

afterAll(() => rm(folder, { recursive: true }))

test('openLog() reads a file line by line, and position() ends at the total', async () => {
  const log = await openLog('some.log', [folder])
  expect(log.position()).toBe(0)
  expect(await linesOf(log)).toEqual(['one', 'two', '', 'four'])
  expect(log.position()).toBe(log.total)
})

test('openLog() opens the file in the first folder that contains the file', async () => {
  expect(await linesOf(await openLog('some.log', [join(folder, 'nowhere'), folder]))).toHaveLength(4)
  expect(await linesOf(await openLog(join(folder, 'some.log'), ['/']))).toHaveLength(4)
})

test('openLog() returns no lines for an empty file', async () => {
  expect(await linesOf(await openLog('empty.log', [folder]))).toEqual([])
})

test('openLog() returns a log that can be closed twice without being read', async () => {
  const log = await openLog('some.log', [folder])
  await log.close()
  await expect(log.close()).resolves.toBeUndefined()
})

test.each([
  ['nowhere.log', 'Cannot read nowhere.log: there is no '],
  ['.', 'Cannot read .: it is a directory.'],
  ['some.log/x', 'Cannot read some.log/x: a part of its path is not a directory.'],
])('openLog() throws a UserError of one line for %s', async (file, says) => {
  const failure = await openLog(file, [folder]).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(UserError)
  expect((failure as UserError).message).toMatch(/^[^\n]+$/)
  expect((failure as UserError).message).toContain(says)
})

test('generatedLog() says in its description that its lines are generated', async () => {
  const log = generatedLog(20)
  expect(log.description).toMatch(/20 generated lines/)
  expect(await linesOf(log)).toHaveLength(20)
  expect(log.position()).toBe(20)
})
