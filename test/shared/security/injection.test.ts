import { IsothermError, openDatabase } from '@isotherm/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { engines } from '../../support/engines.js'
import { isCql, languageOf } from '../../support/languages.js'
import { anyText, hostileText, inheritedByAll, named, PROTOTYPE_NAMES } from './hostile.js'
import { misnomers, misnomersInTransactions, misnomersOfOptions } from './misnomers.js'
import { item, operationsOf, ranges, rowOf, schemaFor } from './operations.js'
import { recorderOf, type Recorder } from './recorder.js'
import type { Recorded } from './recording-driver.js'
import { tokensOf, type Token } from './tokens.js'

// All input of a user reaches the database as data, or is rejected. Without an engine: the tests check the calls of the driver.

const before = inheritedByAll()

/** The calls without the values: they must not depend on the values. */
function shapeOf({ statements, reads, mutations }: Recorded): unknown {
  return {
    statements: statements.map(({ text, parameters }) => ({
      text,
      parameters: parameters.map(({ name, type }) => ({ name, type })),
    })),
    reads: reads.map(({ layout, index, columns, limit }) => ({
      table: layout.table.name,
      index,
      limit,
      columns: columns.map(({ name }) => name),
    })),
    mutations: mutations.map((mutation) => ({
      ...mutation,
      ...('rows' in mutation && { rows: mutation.rows.length }),
      ...('keys' in mutation && { keys: mutation.keys.length }),
    })),
  }
}

/** Every value that was sent, in order. */
function valuesOf({ statements, mutations }: Recorded): unknown[] {
  return [
    ...statements.flatMap(({ parameters }) => parameters.map(({ value }) => value)),
    ...mutations.flatMap((mutation) => ('rows' in mutation ? mutation.rows.flat() : mutation.keys.flat())),
  ]
}

const PLAIN = 'plain'

/** The expected value of a call with this text, for a value of the plain call. */
function replaced(value: unknown, text: string, forms: Recorder['forms']): unknown {
  if (Array.isArray(value)) return value.map((each) => replaced(each, text, forms))
  const form = forms(PLAIN, rowOf(PLAIN).body).indexOf(value)
  return value === undefined || form < 0 ? value : forms(text, rowOf(text).body)[form]
}

/** Shards depend on the text, and the order of the names in a document has no meaning. */
function comparable(value: unknown): unknown {
  if (/^(0{7})?[0-3]$/.test(String(value))) return 'a shard, or the number 1'
  return typeof value === 'string' && value.startsWith('{') ? sorted(value) : value
}

describe.each(engines)('a value in $name', (engine) => {
  const { dialect, traits } = engine
  const { driver, take, answerNext, forms } = recorderOf(engine)
  const db = openDatabase({ driver, schema: schemaFor(traits) })
  const operations = operationsOf(traits)
  // jsonb does not support the character 0.
  const lacksZero = dialect.name === 'spanner-postgresql'

  it('never enters the text of a statement, and is sent unchanged as a parameter', async () => {
    const plain = new Map<string, Recorded>()
    for (const [name, operation] of Object.entries(operations)) {
      await operation(db, PLAIN)
      plain.set(name, take())
    }
    await fc.assert(
      fc.asyncProperty(hostileText, async (text) => {
        for (const [name, operation] of Object.entries(operations)) {
          const refusal = await operation(db, text).then(
            () => undefined,
            (error: unknown) => named(error, 'INVALID_VALUE'),
          )
          const recorded = take()
          if (refusal?.column === 'body' && lacksZero && text.includes('\0')) continue
          expect(refusal).toBeUndefined()
          const expected = plain.get(name)!
          expect(shapeOf(recorded)).toEqual(shapeOf(expected))
          for (const statement of recorded.statements) tokensOf(statement.text, languageOf(dialect))
          expect(valuesOf(recorded).map(comparable)).toEqual(
            valuesOf(expected).map((value) => comparable(replaced(value, text, forms))),
          )
        }
      }),
      { numRuns: traits.transactions ? 1000 : 150 },
    )
  })

  it('is sent as a parameter when a filter bounds a key range', async () => {
    const names = new Set(['Item', 'ItemByNote', 'shard', 'name', 'n', 'note', 'tags', 'body', 'raw'])
    await fc.assert(
      fc.asyncProperty(hostileText, async (text) => {
        for (const operation of Object.values(ranges)) {
          await operation(db, text)
          const tokens = take().statements.flatMap((statement) =>
            tokensOf(statement.text, languageOf(dialect)),
          )
          const strange = ({ kind, value }: Token) =>
            kind === 'text' || (kind === 'quoted' && !names.has(value))
          expect(tokens.filter(strange)).toEqual([])
        }
      }),
      { numRuns: 200 },
    )
  })

  it('is restored from a cursor, and sent as a parameter for the next page', async () => {
    const query = traits.transactions
      ? db.fanOut(item).orderBy('note').strategy('push-down').limit(1)
      : db.fanOut(item).orderBy('name').limit(1)
    const pageAfter = async (text: string): Promise<Recorded> => {
      const cells = (types: readonly { readonly kind: string }[]) =>
        types.map(({ kind }) =>
          kind === 'int64' ? 1n : kind === 'int32' ? 0 : kind === 'string' ? text : null,
        )
      answerNext((types) => [cells(types), cells(types)])
      const { next } = await query.page()
      take()
      await query.after(next).page()
      return take()
    }
    const expected = await pageAfter(PLAIN)
    expect(valuesOf(expected)).toContain(forms(PLAIN, {})[0])
    await fc.assert(
      fc.asyncProperty(hostileText, async (text) => {
        const recorded = await pageAfter(text)
        expect(shapeOf(recorded)).toEqual(shapeOf(expected))
        expect(valuesOf(recorded)).toEqual(valuesOf(expected).map((value) => replaced(value, text, forms)))
      }),
      { numRuns: traits.transactions ? 500 : 150 },
    )
  })

  it('can be a JSON document with any names and strings', async () => {
    const documents = fc.letrec<{ document: unknown }>((tie) => ({
      document: fc.oneof(
        { maxDepth: 3 },
        hostileText,
        fc.array(tie('document'), { maxLength: 3 }),
        fc.dictionary(hostileText, tie('document'), { maxKeys: 3, noNullPrototype: false }),
      ),
    })).document
    await fc.assert(
      fc.asyncProperty(documents, async (body) => {
        const row = { name: '', n: 1n, body }
        const inserted = await db.insert('Item', [row]).then(
          (rows) => rows[0] as Record<string, unknown>,
          (error: unknown) => named(error, 'INVALID_VALUE'),
        )
        const written = valuesOf(take())
          .map((value) => (isCql(dialect) ? Buffer.from(String(value), 'hex').toString() : String(value)))
          .map(sorted)
        const isRefused = inserted instanceof IsothermError
        expect(isRefused).toBe(lacksZero && JSON.stringify(body).includes('\\u0000'))
        if (isRefused) return
        expect(written).toContain(sorted(JSON.stringify(body)))
        expect(sorted(JSON.stringify(inserted['body']))).toBe(sorted(JSON.stringify(body)))
        expect(Object.getPrototypeOf(inserted)).toBe(Object.prototype)
      }),
      { numRuns: traits.transactions ? 500 : 150 },
    )
  })
})

/** The text of a document with sorted names. */
function sorted(text: string): string {
  try {
    return JSON.stringify(ordered(JSON.parse(text)))
  } catch {
    return text
  }
}

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered)
  if (typeof value !== 'object' || value === null) return value
  return Object.entries(value)
    .map(([name, each]) => [name, ordered(each)])
    .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1))
}

describe.each(engines)('an invalid name or word in $name', (engine) => {
  const { transactions } = engine.traits
  const { driver, take } = recorderOf(engine)
  const db = openDatabase({ driver, schema: schemaFor(engine.traits) })
  // The valid words of all parameters, and the names of operators.
  const words =
    'Item ItemByNote shard name n note tags body raw AND OR NOT eq ne in notIn lt lte gt gte startsWith asc desc ' +
    'read-ranges any one two three all quorum local-one local-quorum each-quorum serial local-serial timeoutMs ' +
    'signal priority tag ttlSeconds writeTime consistency conditional allowMultipleCommits returning'
  const right = new Set(['', ...words.split(' ')])

  it.each(Object.entries({ ...misnomers, ...(transactions ? misnomersInTransactions : misnomersOfOptions) }))(
    'is rejected as %s before any call to the database',
    async (_, operation) => {
      await fc.assert(
        fc.asyncProperty(
          fc
            .oneof({ weight: 4, arbitrary: anyText }, fc.constantFrom(...PROTOTYPE_NAMES))
            .filter((text) => !right.has(text)),
          async (text) => {
            const outcome: unknown = await operation(db, text).catch((error: unknown) => error)
            expect(outcome).toBeInstanceOf(IsothermError)
            expect(outcome).toMatchObject({
              code: expect.stringMatching(/^(UNKNOWN_|INVALID_|KEY_INCOMPLETE)/),
            })
            expect(take()).toEqual({ statements: [], reads: [], mutations: [] })
          },
        ),
        { numRuns: 40 },
      )
    },
  )
})

it('hostile values do not change the built-in prototypes of JavaScript', () => {
  expect(inheritedByAll()).toEqual(before)
})
