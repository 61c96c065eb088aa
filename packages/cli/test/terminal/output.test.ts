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

describe('colours', () => {
  it.each([
    ['on a terminal', {}, true],
    ['not in a pipe', { tty: false }, false],
    ['not with --no-color', { color: false }, false],
    ['not with NO_COLOR', { environment: { NO_COLOR: '1' } }, false],
    ['with an empty NO_COLOR', { environment: { NO_COLOR: '' } }, true],
    ['in a pipe with FORCE_COLOR', { tty: false, environment: { FORCE_COLOR: '1' } }, true],
    ['not with FORCE_COLOR=0', { environment: { FORCE_COLOR: '0' } }, false],
    ['not with both, for NO_COLOR goes first', { environment: { FORCE_COLOR: '1', NO_COLOR: '1' } }, false],
    ['not on a dumb terminal', { environment: { TERM: 'dumb' } }, false],
    ['not under --json', { json: true, environment: { FORCE_COLOR: '1' } }, false],
  ])('are there %s', (_, settings, expected) => {
    expect(isColored(settings)).toBe(expected)
  })
})

describe('questions', () => {
  it.each([
    ['on a terminal', {}, true],
    ['not in a pipe', { tty: false }, false],
    ['not under --json', { json: true }, false],
    ['not in CI', { environment: { CI: 'true' } }, false],
  ])('are asked %s', (_, settings, expected) => {
    expect(printed(settings).output.interactive).toBe(expected)
  })
})

describe('a closed pipe', () => {
  const streamOf = (): EventEmitter & { write(): void } =>
    Object.assign(new EventEmitter(), { write: () => {} })
  const failure = (code: string): Error => Object.assign(new Error(`write ${code}`), { code })

  it.each(['stdout', 'stderr'] as const)('ends nothing on %s', (name) => {
    const stream = streamOf()
    printed({ [name]: stream })
    expect(() => stream.emit('error', failure('EPIPE'))).not.toThrow()
    expect(() => stream.emit('error', failure('ENOSPC'))).toThrow('write ENOSPC')
  })
})

describe('a document', () => {
  it('is all there is under --json, with 64-bit integers as text', () => {
    const { output, written } = printed({ json: true })
    output.line('a line')
    output.warn('a warning')
    output.result({ count: 9007199254740993n })
    expect(written).toEqual({ stdout: '{\n  "count": "9007199254740993"\n}\n', stderr: '' })
  })

  it('is not printed otherwise', () => {
    const { output, written } = printed()
    output.line('a line')
    output.warn('a warning')
    output.result({ count: 1 })
    expect(written).toEqual({ stdout: 'a line\n', stderr: 'a warning\n' })
  })
})
