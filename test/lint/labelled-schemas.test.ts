import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { introspect, lint, type Finding, type SqlDialect } from '@isotherm/core'
import { spanner } from '@isotherm/spanner'
import { beforeAll, describe, expect, it } from 'vitest'
import { dialects, sharedEmulator } from '../support/spanner.js'

// Tables as users would write them, labelled by the rules of Spanner's documentation for schema design, with the reason of
// each label. The database applies the DDL, introspection reads the tables, and lint checks the introspected schema.

interface LabelledSchema {
  /** The table that the label is about. */
  readonly name: string
  readonly dialect: SqlDialect['name']
  readonly label: 'hot' | 'ok'
  readonly reason?: string
  readonly ddl: string | readonly string[]
}

const HOTSPOT_RULES = new Set(['monotonic-first-key', 'monotonic-index'])

function read(file: string | URL): LabelledSchema[] {
  return JSON.parse(readFileSync(file, 'utf8')) as LabelledSchema[]
}

/** More tables, with labels of another author: the file is beside the repository on some machines. */
function labelledByOthers(): LabelledSchema[] {
  for (let folder = import.meta.dirname; folder !== dirname(folder); folder = dirname(folder)) {
    const file = join(folder, 'shared/data/lint-cases.json')
    if (existsSync(file)) return read(file)
  }
  return []
}

const own = read(new URL('labelled-schemas.json', import.meta.url))
const others = labelledByOthers()
const known =
  others.length > 0
    ? `and ${others.length} tables of another author`
    : 'only, because shared/data/lint-cases.json does not exist'

/** The emulator does not support the type UUID; `packages/core/test/lint` checks it without a database. */
const needsService = (ddl: readonly string[]): boolean => ddl.some((statement) => / UUID /.test(statement))

function statementsOf({ ddl }: LabelledSchema): readonly string[] {
  return typeof ddl === 'string' ? ddl.split(/;\s+(?=CREATE )/) : ddl
}

describe.each(dialects)(`lint of labelled tables in $name (own tables ${known})`, (dialect) => {
  const cases = [...own, ...others].filter(
    (each) => each.dialect === dialect.name && !needsService(statementsOf(each)),
  )
  let findings: Finding[]

  beforeAll(async () => {
    const emulator = await sharedEmulator()
    // A database for each list: some names are in both lists.
    const found = await Promise.all(
      [own, others].map(async (list) => {
        const ddl = cases.filter((each) => list.includes(each)).flatMap(statementsOf)
        const client = await emulator.database({ dialect, ddl })
        return lint(await introspect({ driver: spanner(client), dialect }), { dialect })
      }),
    )
    findings = found.flat().filter(({ rule }) => HOTSPOT_RULES.has(rule))
  })

  const found = (name: string): Finding[] => findings.filter(({ table }) => table === name)

  it.each(cases.filter(({ label }) => label === 'hot'))('finds a hotspot in $name: $reason', ({ name }) => {
    expect(found(name)).not.toStrictEqual([])
  })

  it.each(cases.filter(({ label }) => label === 'ok'))('finds no hotspot in $name: $reason', ({ name }) => {
    expect(found(name)).toStrictEqual([])
  })
})

describe('the labelled tables', () => {
  it('include more than 40 own tables of each label, all with unique names and a reason', () => {
    expect(own.length).toBeGreaterThanOrEqual(80)
    expect(new Set([...own, ...others].map(({ name }) => name)).size).toBe(own.length + others.length)
    expect(own.every(({ reason }) => reason !== undefined && reason !== '')).toBe(true)
    for (const label of ['hot', 'ok'])
      expect(own.filter((each) => each.label === label).length).toBeGreaterThan(40)
  })
})
