import * as core from '@isotherm/core/engine'
import { pretend, readStatement, values } from './dialect.js'

// An engine that is a Map: the rows of each partition are in a list, in the order of their keys.

type Row = Readonly<Record<string, core.Wire>>

interface Partition {
  readonly rows: Row[]
  /** The static columns of a partition: each value with its expiry. */
  readonly shared: Record<string, { readonly wire: core.Wire; readonly until: number }>
}

/** A database: its tables by their names. It is plain data, so that it can be stored. */
export type PretendDatabase = Map<string, { statement: string; partitions: Map<string, Partition> }>

/** A cell in the form of drivers: documents are text. */
function cellOf({ name, type }: core.PhysicalColumn, row: Row): unknown {
  const { kind } = type.kind === 'array' ? type.of : type
  const wire = row[name] ?? null
  return wire === null || kind === 'json' ? wire : core.valueCodec(type, values).parse(wire)
}

/** The number of rows that meet a condition, which only the first rows meet. */
function countWhile(rows: readonly Row[], holds: (row: Row) => boolean): number {
  let [low, high] = [0, rows.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (holds(rows[middle]!)) low = middle + 1
    else high = middle
  }
  return low
}

/** Whether the row exists and has the values by which it was found. */
function isMeant(
  row: Row | undefined,
  { found = [] }: { readonly found?: readonly core.ColumnValue[] },
): boolean {
  return (
    row !== undefined && found.every(({ column, value }) => core.sameWire(row[column.name] ?? null, value))
  )
}

/** The operations on the rows of a table. */
function rowsOf(database: PretendDatabase, table: string, layout?: core.TableLayout) {
  const partitions = database.get(table)?.partitions
  if (!layout || !partitions) throw new core.IsothermError('NOT_FOUND', `The table ${table} does not exist.`)
  const isShared = core.staticColumns(layout)

  /** The partition of a key, and the range of its rows whose keys begin with this key. */
  const position = (key: readonly core.Wire[]) => {
    const name = JSON.stringify(key.slice(0, layout.partition))
    const { rows, shared } = partitions.get(name) ?? { rows: [], shared: {} }
    partitions.set(name, { rows, shared })
    const parts = key.map((wire, at) => {
      const { column, order } = layout.key[at]!
      const codec = core.valueCodec(column.type, values)
      const [bound, sign] = [codec.parse(wire), order === 'asc' ? 1 : -1]
      return (row: Row) => sign * codec.compare(codec.parse(row[column.name]!), bound)
    })
    const rank = (row: Row): number => parts.reduce((found, part) => found || part(row), 0)
    const from = countWhile(rows, (row) => rank(row) < 0)
    return { rows, shared, from, to: countWhile(rows, (row) => rank(row) <= 0) }
  }

  /** The row of a key, if it exists, and the static columns of its partition. */
  const find = (key: readonly core.Wire[]): { row?: Row | undefined; shared: Row } => {
    const { rows, shared: cells, from, to } = position(key)
    const valid = Object.entries(cells).filter(([, { until }]) => until > Date.now())
    const shared = Object.fromEntries(valid.map(([name, { wire }]) => [name, wire]))
    return { row: from < to ? { ...rows[from], ...shared } : undefined, shared }
  }

  /** The keys that a mutation writes, and the columns of each row. */
  const writesOf = (mutation: core.Mutation): { key: readonly core.Wire[]; cells?: Row }[] => {
    if (mutation.op === 'delete') return mutation.keys.map((key) => ({ key }))
    return mutation.rows.map((row) => {
      const cells = Object.fromEntries(mutation.columns.map((name, at) => [name, row[at]!]))
      const key = layout.key.map(({ column }) => cells[column.name])
      return { key: key.filter((wire) => wire !== undefined), cells }
    })
  }
  return {
    isShared,
    find,
    writesOf,
    read({ columns, keys = [], ranges = [], limit, reversed }: core.ReadRequest): core.Cells[] {
      const ofRanges = ranges.flatMap(({ start, startOpen, end, endOpen }) => {
        const [first, last, { shared }] = [position(start), position(end), find(start)]
        // Static columns exist without rows too.
        if (first.rows.length === 0 && columns.every(({ name }) => isShared.has(name))) return [shared]
        const rows = first.rows.slice(startOpen ? first.to : first.from, endOpen ? last.from : last.to)
        return (reversed ? rows.toReversed() : rows).map((row) => ({ ...row, ...shared }))
      })
      const found = [...keys.map((key) => find(key).row), ...ofRanges].filter((row) => row !== undefined)
      return found.slice(0, limit).map((row) => columns.map((column) => cellOf(column, row)))
    },
    check(mutation: core.Mutation): void {
      for (const { key } of writesOf(mutation)) {
        const { row } = find(key)
        const shownKey = JSON.stringify(key)
        if (row && mutation.op === 'insert') throw core.existingRow(table, shownKey, { layout })
        if (mutation.op === 'update' && !isMeant(row, mutation))
          throw core.missingRow(table, shownKey, { layout })
      }
    },
    write(mutation: core.Mutation, until = Infinity): void {
      for (const { key, cells } of writesOf(mutation)) {
        const { rows, shared, from, to } = position(key)
        const own = Object.entries(cells ?? {}).filter(([name]) => !isShared.has(name))
        const row = { ...rows.slice(from, to)[0], ...Object.fromEntries(own) }
        if (key.length === layout.key.length) rows.splice(from, to - from, ...(cells ? [row] : []))
        for (const [name, wire] of Object.entries(cells ?? {}))
          if (isShared.has(name)) shared[name] = { wire, until }
      }
    },
  }
}

const name = 'the pretend engine'
const NO_COSTS = { roundTrip: 1, call: 0, statement: 0, range: 0, row: 0, scannedRow: 0 }

/** Isotherm on a Map. */
export function pretendDriver(
  database: PretendDatabase,
  { costs }: { readonly costs?: Partial<core.CostProfile> } = {},
): core.Driver<undefined> {
  const call = <Result>(run: () => Result, options: core.CallOptions = {}): Promise<Result> =>
    core.answer(async () => run(), core.timeLimit(options.timeoutMs, 10_000), options)
  const of = ({ table, layout }: core.Mutation) => rowsOf(database, table, layout)
  const read: core.Reader['read'] = (request, options) =>
    call(() => rowsOf(database, request.layout.table.name, request.layout).read(request), options)
  const refuse = async (): Promise<never> => {
    throw new core.IsothermError('UNSUPPORTED_FEATURE', 'The pretend engine has no statements.')
  }
  const changes = new Map<string, core.SchemaChangeState>()
  const apply = (statement: string): void => {
    const made = readStatement(statement)
    if (typeof made === 'string') database.delete(made)
    // A schema change that an earlier process began is started again.
    else if (database.get(made.name)?.statement !== statement)
      database.set(made.name, { statement, partitions: new Map() })
  }
  return {
    name,
    system: 'pretend',
    dialect: pretend,
    client: database,
    costs: { ...NO_COSTS, statementsScan: false, concurrency: 100, inFlight: 100, ...costs },
    lacks: [],
    takes: [],
    read,
    query: refuse,
    run: refuse,
    writes: core.partitionWrites({
      name,
      maxRows: 1000,
      commit: (mutations, options) =>
        call(() => {
          for (const each of mutations) of(each).check(each)
          for (const each of mutations) of(each).write(each)
        }, options),
    }),
    atomic: {
      kind: 'conditional-writes',
      read,
      writeIf: ({ mutation, condition }, columns, options) =>
        call(() => {
          const { find, isShared, write, writesOf } = of(mutation)
          const { row, shared } = find(writesOf(mutation)[0]?.key ?? [])
          const [found, conditions] = [row ?? shared, Object.entries(condition ?? {})]
          const isThere = row !== undefined || conditions.some(([name]) => isShared.has(name))
          const isMet = conditions.every(([name, wire]) => core.sameWire(found[name] ?? null, wire))
          const applied = isMet && isThere === (condition !== null)
          if (!applied) return { applied, found: columns.map((column) => cellOf(column, found)) }
          write(mutation, options?.ttlSeconds && Date.now() + options.ttlSeconds * 1000)
          return { applied }
        }, options),
    },
    applyDdl: (statements, options) => call(() => statements.forEach(apply), options),
    schemaChanges: {
      begin: (statements, id, options) =>
        call(() => {
          statements.forEach(apply)
          changes.set(id, { statements, done: true, applied: statements.length, progress: [] })
        }, options),
      state: async (id) => changes.get(id),
    },
    readDdl: (options) => call(() => [...database.values()].map(({ statement }) => statement), options),
  }
}
