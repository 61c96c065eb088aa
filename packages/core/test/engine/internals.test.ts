import { expect, it } from 'vitest'
import { internals } from '../../src/engine/internals.js'

interface Members {
  readonly options: object
  hidden(): string
}

it('internals() returns the object if all required members exist', () => {
  const inside = internals<Members>('Client of a-driver', ['options', 'hidden'])
  class Client {
    readonly options = {}
    hidden() {
      return 'found'
    }
  }
  expect(inside(new Client()).hidden()).toBe('found')
})

it('internals() throws INVALID_CLIENT with the name of a missing member, on each call', () => {
  const inside = internals<Members>('Client of a-driver', ['options', 'hidden'])
  const refused = () => inside({ options: {} })
  expect(refused).toThrow(/^Client of a-driver has no member hidden\. Install a version/)
  expect(refused).toThrow(expect.objectContaining({ code: 'INVALID_CLIENT' }))
})

it('internals() reports a missing member whose name is a symbol', () => {
  const mark = Symbol('mark')
  const inside = internals<{ readonly [mark]: string }>('Table of a-library', [mark])
  expect(() => inside({})).toThrow('Table of a-library has no member Symbol(mark).')
})
