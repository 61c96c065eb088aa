import { readFileSync } from 'node:fs'
import { compileDdl, type Schema } from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { goldens, goldenText } from '../golden/schemas.js'

// The same schemas are applied to a real engine elsewhere. The files are written by hand, or with
// `goldenText(compileDdl(…))` and then read: a file that nobody has read proves nothing.
describe('DDL', () => {
  it.each(goldens)('of $name in $dialect is what its golden file says', ({ schema, dialect, ddl }) => {
    expect(goldenText(compileDdl(schema, { dialect }))).toBe(readFileSync(ddl, 'utf8'))
  })

  it('is the same for a schema that went through JSON', () => {
    for (const { schema, dialect } of goldens) {
      const read = JSON.parse(JSON.stringify(schema)) as Schema
      expect(compileDdl(read, { dialect })).toStrictEqual(compileDdl(schema, { dialect }))
    }
  })
})
