import {
  compileDdl,
  defineSchema,
  defineTable,
  lint,
  lintRules,
  splitStatements,
  type Dialect,
} from '@isotherm/core'
import { cql, cqlRuntime, keyspacesCql } from '@isotherm/cassandra'
import { isRuntime } from '@isotherm/core/engine'
import { defineDialect, isDialect } from '@isotherm/core/tools'
import { googlesql, googlesqlRuntime, spannerPostgresql } from '@isotherm/spanner'
import { describe, expect, it } from 'vitest'
import { refusal } from '../support/refusal.js'

const schema = defineSchema([defineTable('T', (t) => ({ id: t.uuidV4() }))])

const CALLS: Readonly<Record<string, (dialect: Dialect) => unknown>> = {
  compileDdl: (dialect) => compileDdl(schema, { dialect }),
  lint: (dialect) => lint(schema, { dialect }),
  lintRules: (dialect) => lintRules(dialect),
  splitStatements: (dialect) => splitStatements('SELECT 1', dialect),
}

describe.each(Object.entries(CALLS))('%s', (name, call) => {
  it.each([
    ['what has the properties of a dialect', { name: 'x', lexicalSyntax: {}, layout: () => 1 }],
    ['a copy of GoogleSQL', { ...googlesql }],
    ['a copy of CQL', { ...cql, name: 'mine' }],
    ['an object that inherits from one', Object.create(spannerPostgresql) as object],
  ])('refuses %s, and says that it is a copy', (_, wrong) => {
    const error = refusal(() => call(wrong as Dialect))
    expect(error.code).toBe('INVALID_OPTION')
    expect(error.message).toContain(`${name}: dialect is `)
    expect(error.fix).toBe(
      'Give the dialect object itself, as the package of an engine exports it: this is a copy of one.',
    )
  })

  it.each(['googlesql', undefined, {}, null])('refuses %j', (wrong) => {
    expect(refusal(() => call(wrong as never)).fix).toBe(
      'Give a dialect, as the package of an engine exports it: the object, not its name.',
    )
  })

  it.each([googlesql, spannerPostgresql, cql, keyspacesCql])('takes $name', (dialect) => {
    expect(() => call(dialect)).not.toThrow()
  })

  it('takes a dialect that another package has defined', () => {
    expect(() => call(defineDialect({ ...googlesql, name: 'mine' }))).not.toThrow()
  })
})

describe('the part of a dialect that runs', () => {
  const withTools = Object.entries(CALLS).filter(([name]) => name !== 'splitStatements')

  it.each(withTools)('is refused by %s, which says what it is', (_, call) => {
    for (const runtime of [googlesqlRuntime, cqlRuntime]) {
      expect(refusal(() => call(runtime as Dialect))).toMatchObject({
        code: 'INVALID_OPTION',
        fix: 'Give the whole dialect, as the package of an engine exports it: this is only the part of it that runs.',
      })
    }
  })

  it('is taken where only its words are asked for', () => {
    expect(splitStatements('SELECT 1', googlesqlRuntime)).toEqual(['SELECT 1'])
  })

  it.each([googlesqlRuntime, cqlRuntime])('has no tools in it: $name', (runtime) => {
    expect([isRuntime(runtime), isDialect(runtime), Object.isFrozen(runtime)]).toEqual([true, false, true])
    expect(['lint', 'ddl', 'differ', 'introspect'].filter((tool) => tool in runtime)).toEqual([])
  })
})

it('freezes a dialect', () => {
  const dialect = defineDialect<Dialect>({ ...googlesql })
  expect([Object.isFrozen(dialect), isDialect(dialect)]).toEqual([true, true])
})
