import { readFileSync } from 'node:fs'
import { compileDdl, type Schema } from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { goldens, goldenText } from '../golden/schemas.js'

// The same schemas are applied to a real engine elsewhere. The files are written by hand, or with
// `goldenText(compileDdl(…))` and then reviewed: a file without a review proves nothing.
describe('compileDdl()', () => {
  it.each(goldens)(
    'writes the DDL of $name in $dialect as in the golden file',
    ({ schema, dialect, ddl }) => {
      expect(goldenText(compileDdl(schema, { dialect }))).toBe(readFileSync(ddl, 'utf8'))
    },
  )

  it('writes the same DDL for a schema that was converted to JSON and back', () => {
    for (const { schema, dialect } of goldens) {
      const read = JSON.parse(JSON.stringify(schema)) as Schema
      expect(compileDdl(read, { dialect })).toStrictEqual(compileDdl(schema, { dialect }))
    }
  })
})
