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

describe.each(Object.entries(CALLS))('%s() with a dialect', (name, call) => {
  it.each([
    ['an object with the properties of a dialect', { name: 'x', lexicalSyntax: {}, layout: () => 1 }],
    ['a copy of GoogleSQL', { ...googlesql }],
    ['a copy of CQL', { ...cql, name: 'mine' }],
    ['an object that inherits from a dialect', Object.create(spannerPostgresql) as object],
  ])('rejects %s as the dialect and reports a copy of a dialect', (_, wrong) => {
    const error = refusal(() => call(wrong as Dialect))
    expect(error.code).toBe('INVALID_OPTION')
    expect(error.message).toContain(`${name}: dialect is `)
    expect(error.fix).toBe(
      'Give the dialect object itself, as the package of an engine exports it: this is a copy of one.',
    )
  })

  it.each(['googlesql', undefined, {}, null])(
    'rejects %j as the dialect and asks for a dialect object',
    (wrong) => {
      expect(refusal(() => call(wrong as never)).fix).toBe(
        'Give a dialect, as the package of an engine exports it: the object, not its name.',
      )
    },
  )

  it.each([googlesql, spannerPostgresql, cql, keyspacesCql])('accepts the dialect $name', (dialect) => {
    expect(() => call(dialect)).not.toThrow()
  })

  it('accepts a dialect that another package defines with defineDialect()', () => {
    expect(() => call(defineDialect({ ...googlesql, name: 'mine' }))).not.toThrow()
  })
})

describe('the runtime part of a dialect', () => {
  const withTools = Object.entries(CALLS).filter(([name]) => name !== 'splitStatements')

  it.each(withTools)('%s() rejects a dialect runtime and asks for the whole dialect', (_, call) => {
    for (const runtime of [googlesqlRuntime, cqlRuntime]) {
      expect(refusal(() => call(runtime as Dialect))).toMatchObject({
        code: 'INVALID_OPTION',
        fix: 'Give the whole dialect, as the package of an engine exports it: this is only the part of it that runs.',
      })
    }
  })

  it('splitStatements() accepts a dialect runtime', () => {
    expect(splitStatements('SELECT 1', googlesqlRuntime)).toEqual(['SELECT 1'])
  })

  it.each([googlesqlRuntime, cqlRuntime])(
    'a dialect runtime contains neither lint, ddl, differ nor introspect: $name',
    (runtime) => {
      expect([isRuntime(runtime), isDialect(runtime), Object.isFrozen(runtime)]).toEqual([true, false, true])
      expect(['lint', 'ddl', 'differ', 'introspect'].filter((tool) => tool in runtime)).toEqual([])
    },
  )
})

it('defineDialect() returns a frozen dialect', () => {
  const dialect = defineDialect<Dialect>({ ...googlesql })
  expect([Object.isFrozen(dialect), isDialect(dialect)]).toEqual([true, true])
})
