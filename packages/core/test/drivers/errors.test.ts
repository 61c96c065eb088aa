import { describe, expect, it } from 'vitest'
import { IsothermError } from '../../src/errors.js'
import { causeToRunAgain, translate, translateBatch } from '../../src/drivers/spanner/errors.js'

const failure = (code: number, more: object = {}) => Object.assign(new Error('said'), { code, ...more })

describe('an error of the client', () => {
  it('passes where the emulator lets a schema change wait for nobody', () => {
    const busy = Object.assign(
      new Error(
        'Schema change operation rejected because a concurrent schema change operation or read-write transaction is already in progress.',
      ),
      { code: 9 },
    )
    expect(translate(busy)).toMatchObject({ code: 'ABORTED', transient: true })
    const refused = Object.assign(new Error('Duplicate name in schema: a.'), { code: 9 })
    expect(translate(refused)).toMatchObject({ code: 'CONSTRAINT', transient: false })
  })

  it('makes a transaction run again, wherever it lies in the error of the work', () => {
    const aborted = failure(10)
    const lost = failure(5, { message: 'Session not found: s' })
    for (const theirs of [aborted, lost]) {
      const translated = translate(theirs) as Error
      const wrapped = new Error('a query failed', { cause: translated })
      expect(causeToRunAgain(translated, false)).toBe(theirs)
      expect(causeToRunAgain(wrapped, false)).toBe(theirs)
      expect(causeToRunAgain(new Error('more', { cause: wrapped }), false)).toBe(theirs)
      expect(causeToRunAgain(theirs, true)).toBe(theirs)
    }
  })

  it('does not, where it is another one, or the work’s own', () => {
    for (const error of [
      failure(6),
      translate(failure(6)),
      new Error('x'),
      undefined,
      'aborted',
      { code: 10 },
    ]) {
      expect(causeToRunAgain(error, false)).toBeUndefined()
    }
    // The code of somebody else's error means nothing.
    expect(causeToRunAgain(failure(10), false)).toBeUndefined()
    const endless: Error = new Error('endless')
    endless.cause = endless
    expect(causeToRunAgain(endless, false)).toBeUndefined()
  })

  it('tells which of several statements failed, where the database got as far as that', () => {
    const second = failure(6, { rowCounts: [3] })
    expect(translateBatch(second)).toMatchObject({ code: 'ALREADY_EXISTS', statement: 1, cause: second })
    expect(translateBatch(failure(3, { rowCounts: [] }))).toMatchObject({ code: 'DATABASE', statement: 0 })
    const call = failure(14, { rowCounts: [], details: 'no connection' })
    expect(translateBatch(call)).toMatchObject({ code: 'UNAVAILABLE', transient: true, statement: undefined })
    const own = new IsothermError('CANCELLED', 'by its signal')
    expect(translateBatch(own)).toBe(own)
    expect(translateBatch('thrown')).toBe('thrown')
  })
})
