import { compileDdl, defineSchema, lint, type TableSchema } from '@isotherm/core'
import { definitionOf } from '@isotherm/core/adapter'
import { googlesql, spannerPostgresql } from '@isotherm/spanner'
import { toDrizzle, toSchema } from '@isotherm/drizzle-adapter'
import { toDrizzle as toPgTable } from '@isotherm/drizzle-adapter/postgresql'
import type { Table } from 'drizzle-orm'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { goldens } from '../../../spanner/test/golden/schemas.js'
import { randomModels } from '../../../../test/dialects/random-schemas.js'
import { refusal } from '../support/refusal.js'

// The table that toDrizzle() makes keeps all that the model declares: its schema equals that of the model.

type ToTable = (model: object) => Table

const dialects = [
  { dialect: googlesql, table: toDrizzle as unknown as ToTable },
  { dialect: spannerPostgresql, table: toPgTable as unknown as ToTable },
]

/** A UUID in two integers is one property and two columns. */
function hasPair({ columns }: TableSchema): boolean {
  return columns.some(({ type }) => type.kind === 'uuid' && type.storage === 'int64-pair')
}

/** The models that toDrizzle() can convert, and the others. */
function partition(models: readonly object[]): readonly [possible: object[], impossible: object[]] {
  const { tables } = defineSchema(models)
  const isPair = (model: object): boolean =>
    hasPair(tables.find(({ name }) => name === definitionOf(model)!.name)!)
  return [models.filter((model) => !isPair(model)), models.filter(isPair)]
}

describe.each(dialects)('toSchema() of toDrizzle() tables in $dialect.name', ({ dialect, table }) => {
  const cases = goldens.filter((golden) => golden.dialect === dialect)

  it.each(cases)('returns the golden schema $name, with the same DDL and lint findings', ({ models }) => {
    const [possible, impossible] = partition(models)
    const schema = defineSchema(possible)
    const made = toSchema(possible.map((model) => table(model)))
    expect(made).toStrictEqual(schema)
    expect(compileDdl(made, { dialect })).toStrictEqual(compileDdl(schema, { dialect }))
    expect(lint(made, { dialect })).toStrictEqual(lint(schema, { dialect }))
    for (const model of impossible) {
      const { code, fix } = refusal(() => table(model))
      expect([code, fix]).toEqual(['UNSUPPORTED_MODEL', "Use storage 'text', 'bytes' or 'native'."])
    }
  })

  it('returns the schemas of random models unchanged', () => {
    let runs = 0
    let compared = 0
    fc.assert(
      fc.property(randomModels(dialect), (models) => {
        runs++
        const [possible] = partition(models)
        expect(toSchema(possible.map((model) => table(model)))).toStrictEqual(defineSchema(possible))
        compared += possible.length
      }),
      { numRuns: 300 },
    )
    expect(compared / runs).toBeGreaterThan(0.6)
  })
})
