import { readFileSync } from 'node:fs'
import { compileDdl, lint, type Schema } from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { cqlGoldens } from '../golden/cql/schemas.js'
import { refusal } from '../../support/refusal.js'
import { goldenText } from '../golden/schemas.js'

// The same schemas are applied to a real node elsewhere. The files are written by hand, or with `goldenText(compileDdl(…))`
// and then read: a file that nobody has read proves nothing.
describe('DDL in CQL', () => {
  it.each(cqlGoldens)('of $name for $target is what its golden file says', ({ schema, target, ddl }) => {
    expect(goldenText(compileDdl(schema, { dialect: 'cql', target }))).toBe(readFileSync(ddl, 'utf8'))
  })

  it('is the same for a schema that went through JSON', () => {
    for (const { schema, target } of cqlGoldens) {
      const read = JSON.parse(JSON.stringify(schema)) as Schema
      expect(compileDdl(read, { dialect: 'cql', target })).toStrictEqual(
        compileDdl(schema, { dialect: 'cql', target }),
      )
    }
  })

  it('is for Cassandra where no target is named', () => {
    const { schema } = cqlGoldens.find(({ name }) => name === 'access-log')!
    expect(compileDdl(schema, { dialect: 'cql' })).toStrictEqual(
      compileDdl(schema, { dialect: 'cql', target: 'cassandra' }),
    )
  })

  it.each(['googlesql', 'spanner-postgresql'] as const)('alone has targets: %s has none', (dialect) => {
    const { schema } = cqlGoldens.find(({ name }) => name === 'access-log')!
    for (const takes of [compileDdl, lint]) {
      expect(refusal(() => takes(schema, { dialect, target: 'keyspaces' }))).toMatchObject({
        code: 'UNSUPPORTED',
        message: expect.stringContaining(`${dialect} has no target, and keyspaces is given as one.`),
      })
    }
  })
})
