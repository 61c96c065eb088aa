import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SqlDialect } from '@isotherm/core'
import { expect, it } from 'vitest'
import { sqlDialects } from '../support/languages.js'
import { roundTrip, type Outcome, type RoundTrip } from './foreign-ddl.js'

// `scripts/round-trip-ddl.mjs` sets the folder.

const folder = process.env['ISOTHERM_DDL_FOLDER'] ?? join(import.meta.dirname, 'foreign-ddl')
const dialect = sqlDialects[(process.env['ISOTHERM_DDL_DIALECT'] ?? 'googlesql') as SqlDialect['name']]

const complete = process.env['ISOTHERM_DDL_COMPLETE'] !== undefined

/** Scripts of other authors may be refused, for the reason that is printed. */
const unexpected: readonly Outcome[] =
  process.env['ISOTHERM_DDL_FOLDER'] === undefined ? ['different', 'refused', 'engine'] : ['different']

const MEANING: Readonly<Record<Outcome, string>> = {
  same: 'the same, catalogue and DDL',
  reworded: 'the same catalogue, the DDL in another order',
  different: 'different',
  refused: 'refused by Isotherm',
  engine: 'refused by the engine',
}

it(
  'introspection and DDL reproduce every SQL script of a folder, or report why a script is refused',
  { timeout: 3_600_000 },
  async () => {
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.(?:sql|sdl|ddl)$/.test(file))
      .toSorted()
    expect(files).not.toEqual([])
    const found: (RoundTrip & { readonly file: string })[] = []
    for (const [at, file] of files.entries()) {
      const script = readFileSync(join(folder, file), 'utf8')
      const trip = await roundTrip(script, dialect, { complete })
      found.push({ file, ...trip })
      // A folder may take a while.
      process.stderr.write(
        `${[`${at + 1}/${files.length} ${file}: ${MEANING[trip.outcome]}`, ...trip.reasons].join('\n')}\n`,
      )
    }
    const text = Object.entries(MEANING).flatMap(([outcome, meaning]) => {
      const those = found.filter((each) => each.outcome === outcome)
      const reasons = those.flatMap(({ file, reasons: all }) => all.map((reason) => `    ${file}: ${reason}`))
      return [`${those.length} ${meaning}`, ...reasons]
    })
    const notes = found.flatMap(({ file, notes: all }) => all.map((note) => `    ${file}: ${note}`))
    const partly = found.filter(({ notes: all }) => all.some((note) => note.startsWith('left out: '))).length
    process.stdout.write(
      `${[`${files.length} scripts, ${partly} of them without statements that the engine does not take`, ...text, 'Notes', ...notes].join('\n')}\n`,
    )
    expect(
      found
        .filter(({ outcome }) => unexpected.includes(outcome))
        .map(({ file, reasons }) => [file, ...reasons]),
    ).toEqual([])
  },
)
