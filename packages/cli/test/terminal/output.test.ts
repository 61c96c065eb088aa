import { EventEmitter } from 'node:events'
import { describe, expect, it } from 'vitest'
import { createOutput, type OutputSettings } from '../../src/terminal/output.js'

function printed(settings: Partial<OutputSettings> & { readonly tty?: boolean } = {}) {
  const written = { stdout: '', stderr: '' }
  const { tty = true, ...rest } = settings
  const stream = (name: keyof typeof written) => ({
    isTTY: tty,
    write(text: string) {
      written[name] += text
    },
  })
  const output = createOutput({
    json: false,
    color: true,
    stdin: { isTTY: tty },
    stdout: stream('stdout'),
    stderr: stream('stderr'),
    environment: {},
    ...rest,
  })
  return { output, written }
}

const isColored = (settings: Parameters<typeof printed>[0]): boolean => {
  const { output } = printed(settings)
  return output.style.bad('x') !== 'x'
}

describe('colours in the output', () => {
  it.each([
    ['colours on a terminal', {}, true],
    ['no colours in a pipe', { tty: false }, false],
    ['no colours with --no-color', { color: false }, false],
    ['no colours with NO_COLOR=1', { environment: { NO_COLOR: '1' } }, false],
    ['colours with an empty NO_COLOR', { environment: { NO_COLOR: '' } }, true],
    ['colours in a pipe with FORCE_COLOR=1', { tty: false, environment: { FORCE_COLOR: '1' } }, true],
    ['no colours with FORCE_COLOR=0', { environment: { FORCE_COLOR: '0' } }, false],
    [
      'no colours with both FORCE_COLOR=1 and NO_COLOR=1',
      { environment: { FORCE_COLOR: '1', NO_COLOR: '1' } },
      false,
    ],
    ['no colours on a dumb terminal', { environment: { TERM: 'dumb' } }, false],
    ['no colours under --json', { json: true, environment: { FORCE_COLOR: '1' } }, false],
  ])('depend on the terminal, flags and environment variables: %s', (_, settings, expected) => {
    expect(isColored(settings)).toBe(expected)
  })
})

describe('questions to the user', () => {
  it.each([
    ['questions on a terminal', {}, true],
    ['no questions in a pipe', { tty: false }, false],
    ['no questions under --json', { json: true }, false],
    ['no questions in CI', { environment: { CI: 'true' } }, false],
  ])('are asked only on an interactive terminal: %s', (_, settings, expected) => {
    expect(printed(settings).output.interactive).toBe(expected)
  })
})

describe('a closed output stream', () => {
  const streamOf = (): EventEmitter & { write(): void } =>
    Object.assign(new EventEmitter(), { write: () => {} })
  const failure = (code: string): Error => Object.assign(new Error(`write ${code}`), { code })

  it.each(['stdout', 'stderr'] as const)(
    'the output ignores EPIPE on %s, and throws other write errors',
    (name) => {
      const stream = streamOf()
      printed({ [name]: stream })
      expect(() => stream.emit('error', failure('EPIPE'))).not.toThrow()
      expect(() => stream.emit('error', failure('ENOSPC'))).toThrow('write ENOSPC')
    },
  )
})

describe('output.result()', () => {
  it('prints only the JSON document under --json, with 64-bit integers as strings', () => {
    const { output, written } = printed({ json: true })
    output.line('a line')
    output.warn('a warning')
    output.result({ count: 9007199254740993n })
    expect(written).toEqual({ stdout: '{\n  "count": "9007199254740993"\n}\n', stderr: '' })
  })

  it('prints nothing without --json', () => {
    const { output, written } = printed()
    output.line('a line')
    output.warn('a warning')
    output.result({ count: 1 })
    expect(written).toEqual({ stdout: 'a line\n', stderr: 'a warning\n' })
  })
})
