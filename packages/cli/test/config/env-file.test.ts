import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { loadEnvFile } from '../../src/config/load-config.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'isotherm-env-'))
})
afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

function loaded(environment: NodeJS.ProcessEnv, file?: string): NodeJS.ProcessEnv {
  loadEnvFile(folder, file, environment)
  return environment
}

it('loadEnvFile() adds variables of .env without overwriting variables of the environment', () => {
  writeFileSync(join(folder, '.env'), '# ours\nexport A=1\nB="two words"\nC=3\n')
  expect(loaded({ B: 'given', C: '' })).toEqual({ A: '1', B: 'given', C: '' })
})

it('loadEnvFile() accepts a folder without .env', () => {
  expect(loaded({ A: '1' })).toEqual({ A: '1' })
})

it('loadEnvFile() reads a named file instead of .env, and throws if the named file does not exist', () => {
  writeFileSync(join(folder, '.env'), 'A=1')
  writeFileSync(join(folder, 'prod.env'), 'A=2')
  expect(loaded({}, 'prod.env')).toEqual({ A: '2' })
  expect(() => loaded({}, 'none.env')).toThrow(`There is no file none.env in ${folder}.`)
})

it('loadEnvFile() throws EISDIR when .env is a folder', () => {
  mkdirSync(join(folder, '.env'))
  expect(() => loaded({})).toThrow(/EISDIR/)
})
