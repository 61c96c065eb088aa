import {
  compileDdl,
  defineSchema,
  introspect,
  lintRules,
  type Dialect,
  splitStatements,
  type Schema,
  type SqlDialect,
} from '@isotherm/core'
import { spanner } from '@isotherm/spanner'
import { sharedEmulator } from '../support/spanner.js'
import { applyCompleted, TYPES, type Applied } from './complete-ddl.js'

// Schemas of other authors: applied, read, compiled, and applied again to a new database, which has to equal the first.

/**
 * The result of a script. `same`: catalogue and DDL are equal. `reworded`: the catalogues are equal, and the DDL has another
 * order. `different`: something is lost or changed. `refused`: Isotherm rejects the script, and says why. `engine`: the engine
 * rejects the script.
 */
export type Outcome = 'same' | 'reworded' | 'different' | 'refused' | 'engine'

export interface RoundTrip {
  readonly outcome: Outcome
  /** Why it is not the same; each is a line. */
  readonly reasons: readonly string[]
  /** What introspection said about it. */
  readonly notes: readonly string[]
  readonly schema?: Schema
  readonly ddl?: readonly string[]
}

interface Read {
  readonly schema: Schema
  readonly notes: readonly string[]
  readonly ddl: readonly string[]
  readonly catalogue: ReadonlyMap<string, readonly string[]>
}

// Foreign keys often cause hotspots.
const noRules = (dialect: Dialect): Readonly<Record<string, 'off'>> =>
  Object.fromEntries(lintRules(dialect).map((rule) => [rule, 'off' as const]))

/** Views of the emulator's catalogue that its DDL proves wrong; where introspection says so, the DDL alone is compared. */
const WRONG = /^(?:change_stream|key_column_usage)/

const DDL = /^\s*(?:CREATE|ALTER|DROP|GRANT|REVOKE|RENAME|ANALYZE)\b/i

/** `complete`: objects that the script names and does not create are created first. */
export async function roundTrip(
  script: string,
  dialect: SqlDialect,
  { complete = false } = {},
): Promise<RoundTrip> {
  const statements = splitStatements(script, dialect).filter((statement) => DDL.test(statement))
  let first: Read
  try {
    first = complete ? await readCompleted(dialect, statements) : await readBack(dialect, statements)
  } catch (error) {
    const reason = lineOf(error)
    if (!(error instanceof Refused) && !REFUSAL_OF_ENGINE.test(reason)) throw error
    return { outcome: error instanceof Refused ? 'refused' : 'engine', reasons: [reason], notes: [] }
  }
  const { schema, notes, ddl } = first
  try {
    const second = await readBack(dialect, compileDdl(schema, { dialect, severity: noRules(dialect) }))
    const followed = notes.some((note) => note.endsWith('the DDL was followed.'))
    const lost = differences(first.catalogue, second.catalogue).filter(
      (line) => !followed || !WRONG.test(line),
    )
    const reworded = sameLines(first.ddl, second.ddl)
    if (lost.length > 0 || !reworded)
      return {
        outcome: 'different',
        reasons: [...lost, ...changed(first.ddl, second.ddl)],
        notes,
        schema,
        ddl,
      }
    const same = first.ddl.toSorted().join('\n') === second.ddl.toSorted().join('\n')
    return { outcome: same ? 'same' : 'reworded', reasons: [], notes, schema, ddl }
  } catch (error) {
    return { outcome: 'refused', reasons: [lineOf(error)], notes, schema, ddl }
  }
}

class Refused extends Error {}

/** The engine's errors of a statement. Other failures, such as a limit or a connection, are not errors of the statement. */
const REFUSAL_OF_ENGINE =
  /\b(?:3 INVALID_ARGUMENT|5 NOT_FOUND|6 ALREADY_EXISTS|9 FAILED_PRECONDITION|12 UNIMPLEMENTED|13 INTERNAL)\b|^There is no DDL\.$/

/** With invented columns of one type or another. */
async function readCompleted(dialect: SqlDialect, statements: readonly string[]): Promise<Read> {
  let best: { readonly read: Read; readonly applied: Applied } | undefined
  for (const type of TYPES[dialect.name]) {
    let applied: Applied | undefined
    const read = await readBack(dialect, [], async (client) => {
      applied = await applyCompleted(client, statements, dialect, type)
      return applied.taken > 0 || applied.retry
    })
    if (best === undefined || applied!.taken > best.applied.taken) best = { read, applied: applied! }
    if (!applied!.retry) break
  }
  const { read, applied } = best!
  if (applied.taken === 0) throw new Error(applied.refused[0] ?? 'There is no DDL.')
  return { ...read, notes: [...read.notes, ...applied.refused.map((why) => `left out: ${why}`)] }
}

/** A new database with these statements. */
async function readBack(
  dialect: SqlDialect,
  statements: readonly string[],
  prepare?: (client: Client) => Promise<boolean>,
): Promise<Read> {
  const emulator = await sharedEmulator()
  const client = await emulator.database({ dialect, ddl: [...statements] })
  try {
    if (prepare && !(await prepare(client)))
      return { schema: defineSchema([]), notes: [], ddl: [], catalogue: new Map() }
    const driver = spanner(client, { dialect })
    const notes: string[] = []
    let schema: Schema
    try {
      schema = await introspect({ driver, onNote: (note) => notes.push(note), dialect })
    } catch (error) {
      throw new Refused(lineOf(error), { cause: error })
    }
    const ddl = await driver.readDdl()
    return { schema, notes, ddl, catalogue: await catalogueOf(client) }
  } finally {
    await client.delete()
  }
}

type Client = Awaited<ReturnType<Awaited<ReturnType<typeof sharedEmulator>>['database']>>

/** Every row of every view of the information schema, as text. */
async function catalogueOf(client: Client): Promise<ReadonlyMap<string, readonly string[]>> {
  const rowsOf = async (sql: string): Promise<readonly Record<string, unknown>[]> => {
    const [rows] = await client.run({ sql, json: true })
    return rows as Record<string, unknown>[]
  }
  const views = await rowsOf(
    "SELECT table_name AS name FROM information_schema.tables WHERE LOWER(table_schema) = 'information_schema'",
  )
  const catalogue = new Map<string, readonly string[]>()
  for (const { name } of views) {
    // Cells of the database's own catalogue are equal in every database.
    const rows = await rowsOf(`SELECT * FROM information_schema.${String(name)}`)
    const texts = rows.map((row) => bare(JSON.stringify(nameless(row))))
    catalogue.set(
      String(name).toLowerCase(),
      texts.filter((text) => !/"(?:information_schema|pg_catalog|spanner_sys)"/i.test(text)).toSorted(),
    )
  }
  return catalogue
}

/** Without the names of databases, which are generated. */
function nameless(row: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(row).filter(([name]) => !/catalog$/i.test(name)))
}

function differences(
  first: ReadonlyMap<string, readonly string[]>,
  second: ReadonlyMap<string, readonly string[]>,
): string[] {
  return [...first].flatMap(([view, rows]) => {
    const others = second.get(view) ?? []
    return [
      ...without(rows, others).map((row) => `${view}: lost ${row}`),
      ...without(others, rows).map((row) => `${view}: new ${row}`),
    ]
  })
}

/** Whether two databases have the same DDL, with tables and the parts of each table in any order. */
function sameLines(first: readonly string[], second: readonly string[]): boolean {
  return changed(first, second).length === 0
}

function changed(first: readonly string[], second: readonly string[]): string[] {
  const [one, other] = [linesOf(first), linesOf(second)]
  return [
    ...without(one, other).map((line) => `DDL: lost ${line}`),
    ...without(other, one).map((line) => `DDL: new ${line}`),
  ]
}

/** The texts that the other list lacks, each as often as it is missing. */
function without(texts: readonly string[], others: readonly string[]): string[] {
  const counts = new Map<string, number>()
  for (const text of others) counts.set(text, (counts.get(text) ?? 0) + 1)
  return texts.filter((text) => {
    const count = counts.get(text) ?? 0
    if (count > 0) counts.set(text, count - 1)
    return count === 0
  })
}

/** The parts of each statement behind its first line, so that none counts for another statement. */
function linesOf(ddl: readonly string[]): string[] {
  return ddl.map(bare).flatMap((statement) => {
    // The tables that a change stream watches have no order.
    if (statement.startsWith('CREATE CHANGE STREAM')) return [statement.split(/,? /).toSorted().join(' ')]
    const [head = '', ...lines] = statement.split('\n')
    return [head, ...lines.map((line) => `${head} ${line.trim().replace(/,$/, '')}`)]
  })
}

/** Without the quotes that GoogleSQL does not need around a name. */
function bare(text: string): string {
  return text.replaceAll('`', '')
}

function lineOf(error: unknown): string {
  return (error as Error).message.replaceAll(/\s+/g, ' ').slice(0, 2000)
}
