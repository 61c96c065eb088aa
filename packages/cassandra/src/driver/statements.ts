import { types } from 'cassandra-driver'
import {
  type Cells,
  IsothermError,
  type ReadOptions,
  type ResultColumn,
  type ResultSet,
  type ResultType,
  type Statement,
  type WireType,
} from '@isotherm/core/engine'
import type { Session } from './execute.js'
import { FETCH_SIZE } from './ranges.js'
import type { Call } from './sending.js'
import { type RowCells, rowDecoder } from './values.js'

// Results of statements that are not ours, read by what the client says of their columns.

/** The client's type of a result's column. */
interface ClientType {
  readonly code: number
  readonly info?: unknown
}

/** Plain numbers, as they come with a result. */
const codes: Readonly<Record<keyof typeof types.dataTypes, number>> = types.dataTypes

interface ClientUserType {
  readonly fields: readonly { readonly name: string; readonly type: ClientType }[]
}

const KINDS: Readonly<Record<number, WireType>> = {
  [codes.ascii]: { kind: 'ascii' },
  [codes.bigint]: { kind: 'int64' },
  [codes.blob]: { kind: 'bytes', length: 'max' },
  [codes.boolean]: { kind: 'bool' },
  [codes.counter]: { kind: 'counter' },
  [codes.decimal]: { kind: 'decimal' },
  [codes.double]: { kind: 'float64' },
  [codes.float]: { kind: 'float32' },
  [codes.int]: { kind: 'int32' },
  [codes.text]: { kind: 'string', length: 'max' },
  [codes.varchar]: { kind: 'string', length: 'max' },
  [codes.timestamp]: { kind: 'timestamp' },
  [codes.uuid]: { kind: 'uuid' },
  [codes.varint]: { kind: 'varint' },
  [codes.timeuuid]: { kind: 'timeuuid' },
  [codes.inet]: { kind: 'inet' },
  [codes.date]: { kind: 'date' },
  [codes.time]: { kind: 'time' },
  [codes.smallint]: { kind: 'int16' },
  [codes.tinyint]: { kind: 'int8' },
  [codes.duration]: { kind: 'duration' },
}

/** The columns of a result that does not belong to a model. A user type is read as a structure. */
function resultColumns(result: types.ResultSet): ResultColumn[] {
  return (result.columns ?? []).map(({ name, type }) => ({ name, type: resultType(type as ClientType) }))
}

function resultType({ code, info }: ClientType): ResultType {
  switch (code) {
    case codes.list:
      return { kind: 'array', of: resultType(info as ClientType) }
    case codes.set:
      return { kind: 'set', of: resultType(info as ClientType) }
    case codes.map: {
      const [key, of] = info as readonly [ClientType, ClientType]
      return { kind: 'map', key: resultType(key), of: resultType(of) }
    }
    case codes.tuple:
      return { kind: 'tuple', of: (info as readonly ClientType[]).map(resultType) }
    case codes.udt: {
      const { fields } = info as ClientUserType
      return { kind: 'struct', fields: fields.map(({ name, type }) => ({ name, type: resultType(type) })) }
    }
    case codes.custom:
      return customType(String(info))
    default:
      return KINDS[code] ?? { kind: 'other', name: String(code) }
  }
}

const MARSHAL = 'org.apache.cassandra.db.marshal.'

/** Types for which this version of the protocol has no code have the name of their class instead. */
function customType(name: string): ResultType {
  const short = name.replaceAll(MARSHAL, '')
  if (short === 'DurationType') return { kind: 'duration' }
  const [, dimensions] = /^VectorType\(FloatType\s*,\s*(\d+)\)$/.exec(short) ?? []
  if (dimensions !== undefined) return { kind: 'vector', of: 'float32', dimensions: Number(dimensions) }
  return { kind: 'other', name: short }
}

// Statements that come as text: those of the catalogue, and those of others.

/** Rows of a statement whose columns are known by their types. */
export function queryRows(
  session: Session,
  statement: Statement,
  types: readonly WireType[],
  options: ReadOptions,
): Promise<Cells[]> {
  return session.call('read', options, async (call) => {
    let decode: RowCells | undefined
    const rows: Cells[] = []
    for await (const page of pagesOf(call, statement, true)) {
      const columns = types.map((type, at) => ({ name: page.columns[at]!.name, type }))
      decode ??= rowDecoder(columns, true)
      for (const row of page.rows ?? []) rows.push(decode(row))
    }
    return rows
  })
}

/** Runs a statement of the application, whose columns only the database knows. */
export async function runStatement(
  session: Session,
  statement: Statement,
  options: ReadOptions,
): Promise<ResultSet> {
  const verb = firstWord(statement.text)
  if (verb === 'USE') throw movesKeyspace()
  const reads = verb === 'SELECT'
  return session.call(reads ? 'read' : 'once', options, async (call) => {
    if (!reads) call.sent = true
    let columns: ResultColumn[] | undefined
    let decode: RowCells | undefined
    const rows: Cells[] = []
    // A statement without parameters is mostly made for a single run: preparing it would push another one out of the
    // client's cache of prepared statements.
    for await (const page of pagesOf(call, statement, statement.parameters.length > 0)) {
      columns ??= readable(resultColumns(page))
      decode ??= rowDecoder(columns)
      for (const row of page.rows ?? []) rows.push(decode(row))
    }
    return { columns: columns ?? [], rows }
  })
}

/**
 * The client returns a row as an object, so columns with the same name, or with a name that an object cannot have, would be
 * lost.
 */
function readable(columns: ResultColumn[]): ResultColumn[] {
  const names = columns.map(({ name }) => name)
  const lost = names.find((name, at) => name === '__proto__' || names.indexOf(name) < at)
  if (lost === undefined) return columns
  throw new IsothermError(
    'UNSUPPORTED_STATEMENT',
    `The result has ${lost === '__proto__' ? 'a column' : 'two columns'} with the name ${lost}, which the client cannot return.`,
    {
      fix: 'Give each column its own name: SELECT … AS …',
    },
  )
}

/** Pages without rows are pages: see `collectPages`. */
async function* pagesOf(call: Call, statement: Statement, prepare: boolean): AsyncGenerator<types.ResultSet> {
  let pageState: string | undefined
  do {
    const page = await call.page(statement, FETCH_SIZE, pageState, prepare)
    yield page
    pageState = page.pageState ?? undefined
  } while (pageState !== undefined && !call.ended)
}

const NOTHING = String.raw`\s|--[^\n]*|//[^\n]*|/\*[\s\S]*?\*/`
const FIRST_WORD = new RegExp(String.raw`^(?:${NOTHING})*(\w+)`)

/** In upper case; empty for a text that is not a statement. */
function firstWord(text: string): string {
  return (FIRST_WORD.exec(text)?.[1] ?? '').toUpperCase()
}

function movesKeyspace(): IsothermError {
  return new IsothermError(
    'UNSUPPORTED_STATEMENT',
    'USE would move every statement of this client to another keyspace.',
    {
      fix: 'Create a client for that keyspace, or name the keyspace in the statement.',
    },
  )
}
