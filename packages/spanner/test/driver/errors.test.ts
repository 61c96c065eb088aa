import { IsothermError } from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import {
  causeToRunAgain,
  translate,
  translateBatch,
  translateCommit,
  translateSchemaChange,
} from '../../src/driver/errors.js'

const failure = (code: number, more: object = {}) => Object.assign(new Error('said'), { code, ...more })

describe('translation of errors', () => {
  it('translate() reports ABORTED when the emulator rejects a concurrent schema change', () => {
    const busy = Object.assign(
      new Error(
        'Schema change operation rejected because a concurrent schema change operation or read-write transaction is already in progress.',
      ),
      { code: 9 },
    )
    expect(translate(busy)).toMatchObject({ code: 'ABORTED', retryable: true })
    const refused = Object.assign(new Error('Duplicate name in schema: a.'), { code: 9 })
    expect(translate(refused)).toMatchObject({ code: 'CONSTRAINT', retryable: false })
  })

  it.each([
    'Foreign key constraint `FK` is violated on table `Line`. Cannot find referenced values in Order(id).',
    'Foreign key `FK` constraint violation on table `Line`. Cannot find referenced key `{Int64(1)}` in table `Order`.',
  ])('translate() advises to insert the referenced row first: %s', (message) => {
    expect(translate(failure(9, { message }))).toMatchObject({
      code: 'CONSTRAINT',
      fix: expect.stringContaining('Insert the row that it refers to first') as string,
    })
  })

  it.each([
    'Foreign key constraint violation when deleting or updating referenced row(s): referencing row(s) found in table `Line`.',
    'Foreign key `FK` constraint violation when deleting or updating referenced key `{Int64(1)}` in table `Order`. A row with that key exists in the referencing table `Line`.',
    'Integrity constraint violation during DELETE/REPLACE. Found child row [1,2] in table Line.',
  ])('translate() advises to delete the referencing rows first: %s', (message) => {
    expect(translate(failure(9, { message }))).toMatchObject({
      code: 'CONSTRAINT',
      fix: expect.stringContaining('Delete the rows that belong to it first') as string,
    })
  })

  it('translate() advises to give a NOT NULL column a value', () => {
    expect(translate(failure(9, { message: 'owner must not be NULL in table Shop.' }))).toMatchObject({
      fix: expect.stringContaining('Give the column a value') as string,
    })
  })

  it('translateCommit() names the table of a missing row, with and without details of the transport', () => {
    const message = 'Table Shop: Row {Int64(40)} not found.'
    for (const more of [{ message }, { message, details: '' }, { details: message }])
      expect(translateCommit(failure(5, more), [])).toMatchObject({
        code: 'NOT_FOUND',
        message: expect.stringContaining('Shop has no row with the key') as string,
      })
  })

  it.each([
    'Database is closed.',
    'The client has already been closed.',
    'The channel has been closed',
    'Channel has been shut down',
  ])('translate() reports DATABASE, not retryable, for a closed client: %s', (message) => {
    const cause = new Error(message)
    for (const translated of [translate(cause), translateCommit(cause, []), translateSchemaChange(cause)])
      expect(translated).toMatchObject({
        code: 'DATABASE',
        retryable: false,
        fix: expect.stringContaining('open a new client') as string,
        cause,
      })
  })

  it('translate() returns errors that do not come from the client unchanged', () => {
    const error = new Error('My door is closed.')
    expect(translate(error)).toBe(error)
  })

  it('causeToRunAgain() finds an aborted transaction or a lost session in the chain of causes', () => {
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

  it('causeToRunAgain() returns undefined for other codes and for errors thrown by the work', () => {
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
    // The code of an error that does not come from the client means nothing.
    expect(causeToRunAgain(failure(10), false)).toBeUndefined()
    const endless: Error = new Error('endless')
    endless.cause = endless
    expect(causeToRunAgain(endless, false)).toBeUndefined()
  })

  it('translateBatch() reports the index of the failed statement, except when the call had no connection', () => {
    const second = failure(6, { rowCounts: [3] })
    expect(translateBatch(second)).toMatchObject({ code: 'ALREADY_EXISTS', statement: 1, cause: second })
    expect(translateBatch(failure(3, { rowCounts: [] }))).toMatchObject({ code: 'DATABASE', statement: 0 })
    const call = failure(14, { rowCounts: [], details: 'no connection' })
    expect(translateBatch(call)).toMatchObject({ code: 'UNAVAILABLE', retryable: true, statement: undefined })
    const own = new IsothermError('CANCELLED', 'by its signal')
    expect(translateBatch(own)).toBe(own)
    expect(translateBatch('thrown')).toBe('thrown')
  })
})
