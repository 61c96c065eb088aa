import { IsothermError } from '../../errors.js'
import type { Driver } from '../../database/driver.js'
import { openDatabase, type Database } from '../../database/database.js'
import { dialectNamed } from '../../dialects/registry.js'
import type { Severity } from '../../lint/rule.js'
import { deepFreeze } from '../../model/deep-freeze.js'
import { findTable, type Schema } from '../../model/schema.js'
import { planReshard, type ReshardPlan, type ReshardStatement, type ReshardStepName } from './plan.js'
import { RehearsalWriter } from './rehearsal-writer.js'
import { runReshardCommand } from './run.js'
import { refuseStopped, type ReshardProgress } from './run-options.js'
import type { TreeOptions } from './tree.js'

export interface RehearsalOptions {
  /** Rows of each table before it begins. Default: 200. */
  readonly rows?: number
  /** How often the copying is ended on its way, and run again. Default: 3. */
  readonly kills?: number
  /** Another severity for lint rules, by their names. */
  readonly severity?: Readonly<Record<string, Severity>>
  /** Told of each step when it has been done. */
  readonly onStep?: (step: RehearsedStep) => void
  readonly signal?: AbortSignal
}

/** A step as it went. */
export interface RehearsedStep {
  /** A step of the plan; `return` is the way back from `switch`, which is gone once. */
  readonly step: ReshardStepName | 'return'
  readonly milliseconds: number
  /** What the application wrote meanwhile. */
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
const SETTLE = 200
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
 * Runs the plan of `planReshard` from end to end on a database of its own, with made-up rows, while an application writes:
 * the copying is ended and run again, and the way back is gone once. Checks and foreign keys are left out, since made-up rows
 * would not keep them, and change streams.
 *
 * @param from the schema as the database has it
 * @param to the schema as it is wanted
 * @param driver of an empty database: an emulator's
 * @throws {IsothermError} what went wrong; `UNSUPPORTED` also for a table interleaved in one that does not move.
 * @example
 * await using engine = await startSpannerEmulator()
 * const driver = spanner(await engine.database())
 * const report = await rehearseReshard(before, after, { table: 'UserAccessLog' }, driver)
 */
export async function rehearseReshard(
  from: Schema,
  to: Schema,
  planned: TreeOptions,
  driver: Driver,
  options: RehearsalOptions = {},
): Promise<RehearsalReport> {
  const { rows = 200, kills = 3, severity = {} } = options
  const old = bare(from)
  const plan = planReshard(old, bare(to), { ...planned, dialect: driver.dialect, severity })
  refuseParent(plan)
  const dialect = dialectNamed(driver.dialect)
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
      severity,
      ...(isApplication && { dualWrites: plan.tables, phaseRefresh: REFRESH }),
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
  const step = plan.steps.find((each) => each.name === (isBack ? 'switch' : name))!
  let killed = 0
  for (const statement of isBack ? step.wayBack : step.statements) {
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
    // At a batch that is none of the first, so that there is something to go on from.
    if (isEnded && rows > 0 && seen++ === 1) stop.abort()
  }
  try {
    await runReshardCommand(driver, plan.schema, sql, {
      settle: SETTLE,
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

/** The emulator also takes a table for watched for good once its stream was told twice to watch it: it cannot be dropped. */
function bare(schema: Schema): Schema {
  return deepFreeze({
    ...schema,
    tables: schema.tables.map((table) => ({ ...table, checks: [], foreignKeys: [] })),
    changeStreams: [],
  })
}

function refuseParent({ schema, tables }: ReshardPlan): void {
  const { from } = tables[0]!
  const parent = findTable(schema, from)!.parent?.table
  if (parent === undefined) return
  throw new IsothermError('UNSUPPORTED', `${from} cannot be rehearsed: its rows need rows of ${parent}.`, {
    fix: 'Rehearse it on a copy of the database, step by step.',
    table: from,
  })
}
