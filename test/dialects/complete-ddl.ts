import type { SqlDialect } from '@isotherm/core'
import type { sharedEmulator } from '../support/spanner.js'

// A statement from a script or from documentation names tables that are not part of it. The tables that the engine reports as
// missing are created, with columns of the names that the statement uses, and the statement is repeated.

type Client = Awaited<ReturnType<Awaited<ReturnType<typeof sharedEmulator>>['database']>>

/** Types of the invented columns: the next type is used when the engine rejects a statement with the previous one. */
export const TYPES: Readonly<Record<SqlDialect['name'], readonly string[]>> = {
  googlesql: [
    'STRING(MAX)',
    'INT64',
    'TIMESTAMP',
    'ARRAY<FLOAT64>(vector_length=>3)',
    'JSON',
    'BOOL',
    'TOKENLIST',
  ],
  'spanner-postgresql': ['varchar', 'bigint', 'timestamptz', 'jsonb', 'boolean'],
}

const WORD = /[`"]?([A-Za-z_]\w*)[`"]?/g
const KEYWORDS = new Set(
  `ADD ALTER ALWAYS AND ARRAY AS ASC BIGINT BOOL BOOLEAN BY BYTEA BYTES CASCADE CASE CHANGE CHECK COLUMN COLUMNS CONSTRAINT CREATE DATE
  DEFAULT DELETE DESC DESTINATION DISTINCT DROP EDGE ELSE END ENFORCED EXISTS FALSE FILTERED FLOAT64 FOR FOREIGN FROM GENERATED GRANT
  GRAPH IF IN INDEX INSERT INT64 INTERLEAVE INTERVAL INTO INVOKER IS JOIN JSON KEY LABEL LIMIT NODE NOT NULL NULL_FILTERED NUMERIC
  OLDER_THAN ON OPTIONS OR ORDER PARENT PARTITION POLICY PRIMARY PROPERTIES PROPERTY REFERENCES REPLACE ROLE ROW SEARCH SECURITY
  SELECT SET SOURCE SQL STORED STORING STREAM STRING TABLE TABLES THEN TIMESTAMP TO TRUE UNIQUE UNION UPDATE USING VARCHAR VECTOR VIEW
  WHEN WHERE WITH ALL HIDDEN INCLUDE OF DAY DAYS TTL`.split(/\s+/),
)

/** Errors that no invented object prevents. */
const HOPELESS = /syntax error|parsing Spanner DDL|not supported|unsupported|not allowed|RET_CHECK/i

export interface Applied {
  /** The error of each statement that the engine rejects. */
  readonly refused: readonly string[]
  readonly taken: number
  /** Whether columns of another type may help. */
  readonly retry: boolean
}

/** Applies statements one by one, each after the objects that it needs. A statement that the engine always rejects is left out. */
export async function applyCompleted(
  client: Client,
  statements: readonly string[],
  dialect: SqlDialect,
  type: string,
): Promise<Applied> {
  const refused: string[] = []
  let retry = false
  for (const statement of statements) {
    for (let tries = 0; ; tries++) {
      const error = await failure(client, [statement])
      if (error === undefined) break
      const made = tries < 20 ? missing(error.message, statement, dialect, type) : []
      const again = made.length === 0 ? undefined : await failure(client, made)
      if (made.length > 0 && again === undefined) continue
      refused.push(again === undefined ? error.message : `${error.message} (${again.message})`)
      retry ||= !HOPELESS.test(error.message)
      break
    }
  }
  return { refused, taken: statements.length - refused.length, retry }
}

async function failure(client: Client, statements: readonly string[]): Promise<Error | undefined> {
  try {
    const [operation] = await client.updateSchema([...statements])
    await operation.promise()
    return undefined
  } catch (error) {
    return error as Error
  }
}

/** The statements that create the object that an error reports as missing. */
function missing(message: string, statement: string, dialect: SqlDialect, type: string): string[] {
  const isGoogle = dialect.name === 'googlesql'
  // The PostgreSQL dialect folds names that a statement has not quoted.
  const rendered = (part: string): string =>
    isGoogle || statement.includes(`"${part}"`) ? part : part.toLowerCase()
  const quote = (name: string): string => {
    const mark = isGoogle ? '`' : '"'
    return name
      .split('.')
      .map((part) => `${mark}${rendered(part)}${mark}`)
      .join('.')
  }
  const named = (pattern: RegExp): string | undefined => pattern.exec(message)?.[1]?.replace(/\.$/, '')
  const schema =
    named(/Schema not found: ([\w.]+)/i) ?? named(/schema "?([\w.]+)"? (?:does not exist|not found)/i)
  if (schema !== undefined) return [`CREATE SCHEMA ${quote(schema)}`]
  const table =
    named(/Table not found: ([\w.]+)/i) ??
    named(/nonexistent table ([\w.]+)/i) ??
    named(/relation "([\w.]+)" does not exist/i) ??
    named(/cannot track ([\w.]+) because/i)
  if (table !== undefined) {
    const [space] = table.includes('.') ? table.split('.') : []
    return [
      ...(space === undefined ? [] : [`CREATE SCHEMA IF NOT EXISTS ${quote(space)}`]),
      tableFor(table, statement, isGoogle, quote, type),
    ]
  }
  const key = isGoogle
    ? '(made_key INT64 NOT NULL, made_value INT64) PRIMARY KEY (made_key)'
    : '(made_key bigint PRIMARY KEY, made_value bigint)'
  const index = named(/Index not found: ([\w.]+)/i)
  if (index !== undefined) {
    const columns = /STORED COLUMN (\w+)/i.exec(statement)?.[1]
    const made = tableFor('made_table', columns === undefined ? '' : statement, isGoogle, quote, type)
    const stored = /DROP STORED COLUMN/i.test(statement)
      ? ` ${isGoogle ? 'STORING' : 'INCLUDE'} (${columns})`
      : ''
    return [made, `CREATE INDEX ${quote(index)} ON made_table (made_key)${stored}`]
  }
  const stream = named(/Change Stream not found: ([\w.]+)/i)
  if (stream !== undefined) return [`CREATE CHANGE STREAM ${quote(stream)}`]
  const sequence = named(/Sequence not found: ([\w.]+)/i)
  if (sequence !== undefined) {
    const kind = isGoogle ? "OPTIONS (sequence_kind = 'bit_reversed_positive')" : 'BIT_REVERSED_POSITIVE'
    return [`CREATE SEQUENCE ${quote(sequence)} ${kind}`]
  }
  const model = named(/Model [`"]?([\w.]+)[`"]? not found/i)
  if (model !== undefined)
    return [
      `CREATE MODEL ${quote(model)} INPUT (a STRING(MAX)) OUTPUT (b STRING(MAX)) REMOTE OPTIONS (endpoint = '//aiplatform.googleapis.com/projects/p/locations/l/endpoints/e')`,
    ]
  const view = named(/View not found: ([\w.]+)/i)
  if (view !== undefined) return [`CREATE VIEW ${quote(view)} SQL SECURITY INVOKER AS SELECT 1 AS one`]
  const role = named(/Role not found: ([\w.]+)/i) ?? named(/role "?([\w.]+)"? (?:does not exist|not found)/i)
  if (role !== undefined) return [`CREATE ROLE ${quote(role)}`]
  const constraint =
    /Constraint (\w+) (?:does not exist|is not|was not found|not found).*?(?:table|on|in) (\w+)/i.exec(
      message,
    )
  const constrained =
    named(/ALTER TABLE ([\w.]+)/i) ?? /ALTER TABLE (?:IF EXISTS )?[`"]?([\w.]+)/i.exec(statement)?.[1]
  const dropped = /DROP CONSTRAINT [`"]?(\w+)/i.exec(statement)?.[1]
  if ((constraint ?? /constraint/i.test(message)) && dropped !== undefined && constrained !== undefined)
    return [`ALTER TABLE ${quote(constrained)} ADD CONSTRAINT ${dropped} CHECK (made_key > 0)`]
  if (
    /row deletion policy/i.test(message) &&
    constrained !== undefined &&
    !/ADD ROW DELETION/i.test(statement)
  )
    return [
      `ALTER TABLE ${quote(constrained)} ADD COLUMN made_time TIMESTAMP`,
      `ALTER TABLE ${quote(constrained)} ADD ROW DELETION POLICY (OLDER_THAN(made_time, INTERVAL 7 DAY))`,
    ]
  const graph = named(/Property Graph not found: ([\w.]+)/i)
  if (graph !== undefined)
    return [`CREATE TABLE made_node ${key}`, `CREATE PROPERTY GRAPH ${quote(graph)} NODE TABLES (made_node)`]
  return []
}

function tableFor(
  table: string,
  statement: string,
  isGoogle: boolean,
  quote: (name: string) => string,
  type: string,
): string {
  const name = table.split('.').at(-1)!.toLowerCase()
  const integer = isGoogle ? 'INT64' : 'bigint'
  const made = (key: readonly (readonly [string, string])[], columns: readonly string[]): string => {
    const lines = [
      ...key.map(([column, own]) => `${column} ${own} NOT NULL`),
      ...columns.map((column) => `${quote(column)} ${type}`),
    ]
    const primary = `PRIMARY KEY (${key.map(([column]) => column).join(', ')})`
    return isGoogle
      ? `CREATE TABLE ${quote(table)} (${lines.join(', ')}) ${primary}`
      : `CREATE TABLE ${quote(table)} (${[...lines, primary].join(', ')})`
  }
  const plain = statement.replaceAll(/'[^']*'/g, ' ').replaceAll(/[`"]/g, '')
  if (/^\s*CREATE\s+TABLE/i.test(plain)) {
    const typeOf = (column: string): string =>
      new RegExp(`[(,\\s]${column}\\s+(\\w+(?:\\s+varying)?(?:<\\w+>)?(?:\\(\\w+\\))?)`, 'i').exec(
        plain,
      )?.[1] ?? integer
    const keys =
      /PRIMARY\s+KEY\s*\(([^)]*)\)/i
        .exec(plain)?.[1]
        ?.split(',')
        .map((part) => part.trim().split(/\s+/)[0]!) ?? []
    if (new RegExp(`INTERLEAVE\\s+IN\\s+(?:PARENT\\s+)?${table.replace('.', '\\.')}\\b`, 'i').test(plain)) {
      const of = keys.slice(0, Math.max(1, keys.length - 1))
      return made(
        of.map((column) => [column, typeOf(column)]),
        [],
      )
    }
    const references = new RegExp(
      `(?:FOREIGN\\s+KEY\\s*\\(([^)]*)\\)|\\b(\\w+)\\s+\\w+(?:\\(\\w+\\))?(?:\\s+NOT\\s+NULL)?)\\s*REFERENCES\\s+${table.replace('.', '\\.')}\\s*\\(([^)]*)\\)`,
      'i',
    ).exec(plain)
    if (references) {
      const own = (references[1] ?? references[2]!).split(',').map((part) => part.trim())
      const theirs = references[3]!.split(',').map((part) => part.trim())
      return made(
        theirs.map((column, at) => [column, typeOf(own[at] ?? column)]),
        [],
      )
    }
  }
  const added = /ADD COLUMN (?:IF NOT EXISTS )?(\w+)/i.exec(plain)?.[1]?.toLowerCase()
  const columns = new Map<string, string>()
  for (const [, word] of plain.matchAll(WORD)) {
    const folded = word!.toLowerCase()
    if (folded !== name && folded !== added && !KEYWORDS.has(word!.toUpperCase())) columns.set(folded, word!)
  }
  // `alter table foo alter column foo`
  if (new RegExp(`(?:COLUMN|\\() ?${name}\\b`, 'i').test(plain)) columns.set(name, table.split('.').at(-1)!)
  return made([['made_key', integer]], [...columns.values()])
}
