import { randomBytes, randomInt, randomUUID } from 'node:crypto'
import { type Database, openDatabase } from '@isotherm/core'
import {
  type ColumnType,
  type Driver,
  type Field,
  IsothermError,
  type OptionKinds,
  type Schema,
  type TableLayout,
  callback,
  checkOptions,
  wholeNumber,
  itemAt,
  present,
} from '@isotherm/core/engine'
import {
  CALL_OPTIONS,
  type Dialect,
  LINT_OPTIONS,
  type Severity,
  checkShape,
  decided,
  deepFreeze,
  dialectsOption,
  findTable,
  plainKey,
  spokenDialect,
} from '@isotherm/core/tools'
import { dualWrites } from '@isotherm/core/reshard'
import {
  type ReshardPlan,
  type ReshardStatement,
  type ReshardStepName,
  TREE_OPTIONS,
  type TreeOptions,
  planReshard,
} from './plan.js'
import { checkArguments } from '../options.js'
import { type ReshardProgress, refuseStopped } from './run-options.js'
import { runReshardCommand } from './run.js'

/** Values that mean nothing, for rows to be tried on. */
function madeUpValue({ column, accept }: Field): unknown {
  if (column.nullable && randomInt(5) === 0) return null
  const value = ofType(column.type)
  try {
    return accept(value)
  } catch {
    // An integer that its rows show as a number.
    return Number(value)
  }
}

/** A row of a table without the values that are made for it, and those of its parent. */
function madeUpRow({ fields }: TableLayout): Record<string, unknown> {
  return Object.fromEntries(
    fields
      .filter(({ column, fill }) => fill.by === 'caller' && !column.inherited)
      .map((field) => [field.column.property, madeUpValue(field)]),
  )
}

function ofType(type: ColumnType): unknown {
  switch (type.kind) {
    case 'bool':
      return randomInt(2) === 1
    case 'int64':
      return BigInt(randomInt(2 ** 47))
    case 'float32':
    case 'float64':
      return randomInt(1_000_000) / 8
    case 'numeric':
      return `${randomInt(1_000_000)}.5`
    case 'string':
      return randomUUID().slice(0, type.length === 'max' ? 36 : type.length)
    case 'bytes':
      return randomBytes(type.length === 'max' ? 12 : Math.min(type.length, 12))
    case 'date':
      return `20${10 + randomInt(20)}-0${1 + randomInt(9)}-1${randomInt(10)}`
    case 'timestamp':
      return new Date(Date.now() - randomInt(86_400_000))
    case 'json':
      return { number: randomInt(1000), text: randomUUID() }
    case 'uuid':
      return randomUUID()
    case 'array':
      return [ofType(type.of)]
  }
}

type PlainRow = Readonly<Record<string, unknown>>

interface WrittenTable {
  readonly from: TableLayout
  readonly to: TableLayout
  readonly parent: WrittenTable | undefined
  /** Whether rows of other tables need this one's. */
  isParent: boolean
  /** The existing rows, by the old key. */
  readonly rows: Map<string, PlainRow>
}

/** The writes that a database and a transaction share. */
interface Writes {
  insert(table: string, rows: readonly PlainRow[]): Promise<PlainRow[]>
  update(table: string, change: PlainRow): Promise<unknown>
  delete(table: string, key: PlainRow): Promise<unknown>
}

/** An application that writes at random into the tables of a plan, and remembers which rows have to exist. */
class RehearsalWriter {
  readonly #tables: readonly WrittenTable[]
  #writes = 0

  constructor(plan: ReshardPlan) {
    const dialect = plan.dialect
    const tables: WrittenTable[] = []
    for (const pair of plan.tables) {
      const from = dialect.layout(present(findTable(plan.schema, pair.from), `table ${pair.from}`))
      const to = dialect.layout(present(findTable(plan.schema, pair.to), `table ${pair.to}`))
      const parent = tables.find((table) => table.from.table.name === from.table.parent?.table)
      if (parent) parent.isParent = true
      tables.push({ from, to, parent, isParent: false, rows: new Map() })
    }
    this.#tables = tables
  }

  /** How many writes there were. */
  get writes(): number {
    return this.#writes
  }

  async fill(db: Database, count: number): Promise<void> {
    for (const table of this.#tables) {
      const rows = Array.from({ length: count }, () => freshRow(table))
      for (const row of await db.insert(table.from.table.name, rows, { allowMultipleCommits: true }))
        remember(table, row)
    }
  }

  /** One write of some kind to some table; every fourth in a transaction. */
  async write(db: Database): Promise<void> {
    const table = present(oneOf(this.#tables), 'table to write')
    const work = writeTo(table)
    try {
      const after = randomInt(4) > 0 ? await work(db) : await db.transaction((tx) => work(tx))
      after()
      this.#writes++
    } catch (error) {
      // The phase has changed, or two made-up rows have the same key in a unique index: nothing was written.
      if (!(error instanceof IsothermError) || !['ABORTED', 'ALREADY_EXISTS'].includes(error.code))
        throw error
    }
  }

  /** Whether the new tables hold the written rows. @returns how many rows each has. @throws {IsothermError} */
  async compare(db: Database): Promise<Readonly<Record<string, number>>> {
    const counts: Record<string, number> = {}
    for (const table of this.#tables) {
      const { name } = table.to.table
      const found = await db.fanOut(name).all()
      counts[name] = found.length
      const there = new Map(found.map((row) => [nameOf(table, row), row]))
      const wrong = [...table.rows].find(([key, row]) => !holds(table, there.get(key), row))
      if (!wrong && found.length === table.rows.size) continue
      throw new IsothermError(
        'CONSTRAINT',
        `${name} does not hold what was written: ${wrong ? `the row ${wrong[0]} is missing, or is another` : `${found.length} rows in place of ${table.rows.size}`}.`,
        { fix: 'Do not run this plan. Please report it as a bug.', table: name },
      )
    }
    return counts
  }
}

/** What to write, and what to remember once it is committed. It may be run again. */
function writeTo(table: WrittenTable): (db: Writes) => Promise<() => void> {
  const { name } = table.from.table
  const [key, row] = oneOf([...table.rows]) ?? []
  const kind = randomInt(10)
  const fresh = freshRow(table)
  if (key === undefined || row === undefined || kind < 5) {
    return async (db) => {
      const [inserted] = await db.insert(name, [fresh])
      return () => remember(table, present(inserted, 'inserted row'))
    }
  }
  const changes = changesOf(table)
  if (changes && (kind < 8 || table.isParent)) {
    return async (db) => {
      await byEitherKey(table, row, (found) => db.update(name, { ...found, ...changes }))
      return () => void table.rows.set(key, { ...row, ...changes })
    }
  }
  return async (db) => {
    if (table.isParent) return () => {}
    await byEitherKey(table, row, (found) => db.delete(name, found))
    return () => void table.rows.delete(key)
  }
}

/** As an application does that gives the columns of the new key as soon as they are required. */
async function byEitherKey(
  { from, to }: WrittenTable,
  row: PlainRow,
  write: (key: PlainRow) => Promise<unknown>,
): Promise<void> {
  try {
    await write(picked(row, plainKey(from)))
  } catch (error) {
    if (!(error instanceof IsothermError) || error.code !== 'KEY_INCOMPLETE') throw error
    await write(picked(row, plainKey(to)))
  }
}

function freshRow(table: WrittenTable): PlainRow {
  const { from, parent } = table
  const of = parent && oneOf([...parent.rows.values()])
  const inherited = from.fields.filter(({ column }) => column.inherited).map(({ column }) => column.property)
  const own = parent ? plainKey(parent.from).filter((property) => inherited.includes(property)) : []
  return { ...madeUpRow(from), ...(of && picked(of, own)) }
}

function changesOf({ from, to }: WrittenTable): PlainRow | undefined {
  const keys = new Set([...plainKey(from), ...plainKey(to)])
  const canChange = ({ column, physical, fill }: Field): boolean =>
    !keys.has(column.property) &&
    !column.immutable &&
    physical.every(({ written }) => written) &&
    (fill.by === 'caller' || fill.by === 'database')
  const field = oneOf(from.fields.filter(canChange))
  return field && { [field.column.property]: madeUpValue(field) }
}

function remember(table: WrittenTable, row: PlainRow): void {
  table.rows.set(nameOf(table, row), row)
}

function nameOf({ from }: WrittenTable, row: PlainRow): string {
  return plainKey(from)
    .map((property) => textOf(row[property]))
    .join()
}

/** Whether a row has the written values, as far as they are known. */
function holds({ to }: WrittenTable, found: PlainRow | undefined, written: PlainRow): boolean {
  return (
    found !== undefined &&
    to.fields.every((field) => {
      const { property } = field.column
      const value = written[property]
      if (value === undefined || isHash(field) || field.column.generated) return true
      return textOf(value) === textOf(found[property])
    })
  )
}

function isHash({ fill }: Field): boolean {
  return fill.by === 'shard' || fill.by === 'hash'
}

/** Dates by their milliseconds: one was given, the other read. Documents with their names in order. */
function textOf(value: unknown): string {
  return JSON.stringify(value, function (this: Record<string, unknown>, name, each: unknown) {
    const own = this[name]
    if (own instanceof Date) return own.getTime()
    if (typeof each === 'bigint') return `${each}n`
    if (typeof each !== 'object' || each === null || Array.isArray(each)) return each
    return Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  })
}

function picked(row: PlainRow, properties: readonly string[]): PlainRow {
  return Object.fromEntries(properties.map((property) => [property, row[property]]))
}

function oneOf<T>(list: readonly T[]): T | undefined {
  return list.length === 0 ? undefined : list[randomInt(list.length)]
}

export interface RehearsalOptions {
  /** The dialect that the database speaks, or a list of all that it may speak. */
  readonly dialect: Dialect | readonly Dialect[]
  /** Rows of each table before it begins. Default: 200. */
  readonly rows?: number
  /** How often the copying is ended on its way, and run again. Default: 3. */
  readonly kills?: number
  /** Another severity for lint rules, by their names. */
  readonly severity?: Readonly<Record<string, Severity>>
  /** Called after each step. */
  readonly onStep?: (step: RehearsedStep) => void
  readonly signal?: AbortSignal
}

const REHEARSAL_OPTIONS: OptionKinds<RehearsalOptions> = {
  dialect: dialectsOption,
  rows: wholeNumber(0),
  kills: wholeNumber(0),
  severity: LINT_OPTIONS.severity,
  onStep: callback,
  signal: CALL_OPTIONS.signal,
}

/** A step as it went. */
export interface RehearsedStep {
  /** A step of the plan; `return` is the way back from `switch`, which is gone once. */
  readonly step: ReshardStepName | 'return'
  readonly milliseconds: number
  /** How many writes the application made during the step. */
  readonly writes: number
  /** How often it was ended and run again. */
  readonly kills: number
}

export interface RehearsalReport {
  readonly steps: readonly RehearsedStep[]
  /** Rows of each new table in the end. */
  readonly rows: Readonly<Record<string, number>>
}

/** How soon the application sees a new phase, and how long a step waits for that, in milliseconds. */
const REFRESH = 20
const PROPAGATION_WAIT_MS = 200
const SMALL_BATCH = 20

/** Each way once, the way back between them, and a look at both tables wherever they have to hold the same. */
const ORDER = [
  'create',
  'begin',
  'copy',
  'verify',
  'switch',
  'verify',
  'return',
  'verify',
  'switch',
  'finish',
  'drop',
] as const

/**
 * Runs the plan of `planReshard` from start to end on a database of its own, with made-up rows, while an application
 * writes: the copy is interrupted and run again, and the rehearsal goes back once. Checks and foreign keys are left out,
 * since made-up rows would violate them, and so are change streams.
 *
 * @param from the schema as the database has it
 * @param to the wanted schema
 * @param userDriver the driver of an empty database: an emulator's
 * @throws {IsothermError} what went wrong; `RESHARD_REFUSED` also for a table interleaved in one that does not move.
 * @example
 * await using engine = await startSpannerEmulator()
 * const driver = spanner(await engine.database())
 * const report = await rehearseReshard(before, after, { table: 'UserAccessLog' }, driver, { dialect: googlesql })
 */
export async function rehearseReshard(
  from: Schema,
  to: Schema,
  planned: TreeOptions,
  userDriver: Driver,
  options: RehearsalOptions,
): Promise<RehearsalReport> {
  checkShape('rehearseReshard', from, to)
  checkArguments('rehearseReshard', { driver: userDriver })
  checkOptions('rehearseReshard', TREE_OPTIONS, planned)
  checkOptions('rehearseReshard', REHEARSAL_OPTIONS, options)
  const { rows = 200, kills = 3, severity = {} } = options
  const old = bare(from)
  const driver = await decided(userDriver)
  const dialect = spokenDialect('rehearseReshard', driver, options.dialect)
  const plan = planReshard(old, bare(to), { ...planned, dialect, severity })
  refuseParent(plan)
  await driver.applyDdl(
    dialect.ddl(
      old,
      old.tables.map((table) => dialect.layout(table)),
    ),
  )
  const open = (isApplication: boolean): Database =>
    openDatabase({
      driver,
      schema: plan.schema,
      ...(isApplication && { tables: dualWrites(plan.tables, { phaseRefresh: REFRESH }) }),
    })
  const writer = new RehearsalWriter(plan)
  const steps: RehearsedStep[] = []
  let application = open(false)
  await writer.fill(application, rows)
  for (const name of ORDER) {
    refuseStopped(options.signal)
    const began = performance.now()
    const writes = writer.writes
    const work = (): Promise<number> => runStep(driver, plan, name, name === 'copy' ? kills : 0)
    // The emulator refuses to change the schema while a transaction is open.
    const isAlone = name === 'create' || name === 'drop'
    const killed = isAlone ? await work() : await besideWrites(writer, application, work)
    if (name === 'create') {
      application = open(true)
      await application.ready()
    }
    await writer.write(application)
    const step = {
      step: name,
      milliseconds: performance.now() - began,
      writes: writer.writes - writes,
      kills: killed,
    }
    steps.push(step)
    options.onStep?.(step)
  }
  return { steps, rows: await writer.compare(open(false)) }
}

/** Does something while the application writes, which goes on until it is done. */
async function besideWrites<T>(writer: RehearsalWriter, db: Database, work: () => Promise<T>): Promise<T> {
  const done = new AbortController()
  const writing = (async () => {
    do await writer.write(db)
    while (!done.signal.aborted)
  })()
  const [worked] = await Promise.allSettled([work().finally(() => done.abort()), writing])
  await writing
  if (worked.status === 'rejected') throw worked.reason
  return worked.value
}

async function runStep(
  driver: Driver,
  plan: ReshardPlan,
  name: (typeof ORDER)[number],
  kills: number,
): Promise<number> {
  const isBack = name === 'return'
  const step = present(
    plan.steps.find((each) => each.name === (isBack ? 'switch' : name)),
    `step ${name}`,
  )
  let killed = 0
  for (const statement of isBack ? step.undoStatements : step.statements) {
    while (!(await runStatement(driver, plan, statement, killed < kills))) killed++
  }
  return killed
}

/** @returns whether it came to its end */
async function runStatement(
  driver: Driver,
  plan: ReshardPlan,
  { kind, sql }: ReshardStatement,
  isEnded: boolean,
): Promise<boolean> {
  if (kind === 'ddl') {
    await driver.applyDdl([sql])
    return true
  }
  const stop = new AbortController()
  let seen = 0
  const onProgress = ({ rows }: ReshardProgress): void => {
    // At a later batch than the first, so that there is progress to continue from.
    if (isEnded && rows > 0 && seen++ === 1) stop.abort()
  }
  try {
    await runReshardCommand(driver, plan.schema, sql, {
      propagationWaitMs: PROPAGATION_WAIT_MS,
      batch: SMALL_BATCH,
      signal: stop.signal,
      onProgress,
    })
    return true
  } catch (error) {
    if (stop.signal.aborted && error instanceof IsothermError && error.code === 'CANCELLED') return false
    throw error
  }
}

/** In the emulator a table that was added twice to a change stream counts as watched for good: it cannot be dropped. */
function bare(schema: Schema): Schema {
  return deepFreeze({
    ...schema,
    tables: schema.tables.map((table) => ({ ...table, checks: [], foreignKeys: [] })),
    changeStreams: [],
  })
}

function refuseParent({ schema, tables }: ReshardPlan): void {
  const { from } = itemAt(tables, 0)
  const parent = findTable(schema, from)?.parent?.table
  if (parent === undefined) return
  throw new IsothermError(
    'RESHARD_REFUSED',
    `${from} cannot be rehearsed: its rows need rows of ${parent}.`,
    {
      fix: 'Rehearse it on a copy of the database, step by step.',
      table: from,
    },
  )
}
