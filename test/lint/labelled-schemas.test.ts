import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { introspect, lint, type Finding, type SqlDialect } from '@isotherm/core'
import { spanner } from '@isotherm/spanner'
import { beforeAll, describe, expect, it } from 'vitest'
import { dialects, sharedEmulator } from '../support/spanner.js'

// Tables as others would write them, labelled by what Spanner's documentation says of schema design, with the reason beside
// each label. They go the whole way: the database takes the DDL, introspection reads it, and the rules judge what was read.

interface LabelledSchema {
  /** The table that the label is about. */
  readonly name: string
  readonly dialect: SqlDialect['name']
  readonly label: 'hot' | 'ok'
  readonly reason?: string
  readonly ddl: string | readonly string[]
}

const HEAT = new Set(['monotonic-first-key', 'monotonic-index'])

function read(file: string | URL): LabelledSchema[] {
  return JSON.parse(readFileSync(file, 'utf8')) as LabelledSchema[]
}

/** More of them, that others have labelled: beside the repository, on the machines that have it. */
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
    ? `and ${others.length} of others`
    : 'alone, since shared/data/lint-cases.json is not there'

/** The emulator has no such type; `packages/core/test/lint` judges it without a database. */
const needsService = (ddl: readonly string[]): boolean => ddl.some((statement) => / UUID /.test(statement))

function statementsOf({ ddl }: LabelledSchema): readonly string[] {
  return typeof ddl === 'string' ? ddl.split(/;\s+(?=CREATE )/) : ddl
}

describe.each(dialects)(`tables that are labelled hot or not in $name, own ones ${known}`, (dialect) => {
  const cases = [...own, ...others].filter(
    (each) => each.dialect === dialect.name && !needsService(statementsOf(each)),
  )
  let findings: Finding[]

  beforeAll(async () => {
    const emulator = await sharedEmulator()
    // A database for each list: they have names in common.
    const found = await Promise.all(
      [own, others].map(async (list) => {
        const ddl = cases.filter((each) => list.includes(each)).flatMap(statementsOf)
        const client = await emulator.database({ dialect, ddl })
        return lint(await introspect({ driver: spanner(client), dialect }), { dialect })
      }),
    )
    findings = found.flat().filter(({ rule }) => HEAT.has(rule))
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
  it('are many, of both kinds, each with a name of its own and a reason', () => {
    expect(own.length).toBeGreaterThanOrEqual(80)
    expect(new Set([...own, ...others].map(({ name }) => name)).size).toBe(own.length + others.length)
    expect(own.every(({ reason }) => reason !== undefined && reason !== '')).toBe(true)
    for (const label of ['hot', 'ok'])
      expect(own.filter((each) => each.label === label).length).toBeGreaterThan(40)
  })
})
