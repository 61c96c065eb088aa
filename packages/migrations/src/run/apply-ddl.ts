import { createHash, randomBytes } from 'node:crypto'
import { type IsothermError, Limits, type SchemaChangeState, withRetries } from '@isotherm/core/engine'
import { withoutComments } from '@isotherm/core/tools'
import { Backoff, beginChange, pause } from '../options.js'
import { differOf } from '../plan/diff-schemas.js'
import type { MigrationRecord } from '../history/tables.js'
import { type MigrationRun, isEnd, isRefusal } from './session.js'

/** Statements that the database has, or is to have, under one operation. */
interface Batch {
  readonly operation: string
  readonly from: number
  readonly to: number
}

/** For how long the database may not know an operation that it has begun, in milliseconds. */
const PATIENCE = 60_000

/** How many statements from this one on change the schema and can go together. */
export function ddlBatch(run: MigrationRun, from: number, alone: boolean): number {
  if (alone) return 1
  const rest = run.migration.statements.slice(from - 1)
  const end = rest.findIndex(({ kind }) => kind !== 'ddl')
  const changes = (end < 0 ? rest : rest.slice(0, end)).map(({ sql }) => sql)
  return differOf(run.services.dialect).batchLength(changes)
}

/**
 * Begins statements as one operation, and awaits its end. The name of the operation is recorded first, so that a later run
 * can ask for it after a crash.
 *
 * @returns false where the database refused all of them at once, and each is to be tried by itself: to know which it was
 */
export async function beginBatch(
  run: MigrationRun,
  from: number,
  length: number,
  attempt: number,
): Promise<boolean> {
  const batch = { operation: operationId(run, from, attempt), from, to: from + length - 1 }
  await run.write(...run.begun(), {
    to: 'started',
    records: run.keys(from, batch.to).map(({ statement }) => run.record(statement, attempt, batch.operation)),
  })
  tellStarted(run, batch, false)
  return awaitBatch(run, batch, await begin(run, batch))
}

/**
 * Goes on with an operation that an earlier run began, or was about to begin.
 *
 * @returns false where the statements that are not complete have to be begun anew
 */
export async function resumeBatch(
  run: MigrationRun,
  first: MigrationRecord,
  records: ReadonlyMap<number, MigrationRecord>,
): Promise<boolean> {
  const { operation } = first
  if (operation === null) return false
  const numbers = [...records.values()]
    .filter((record) => record.operation === operation)
    .map(({ statement }) => statement)
  const batch = {
    operation,
    from: numbers.reduce((a, b) => Math.min(a, b)),
    to: numbers.reduce((a, b) => Math.max(a, b)),
  }
  run.resumed += batch.to - first.statement + 1
  tellStarted(run, { ...batch, from: first.statement }, true)
  const state = await look(run, batch, first.statement)
  if (state) await writeApplied(run, batch, state)
  if (state && isUnknown(state)) return awaitBatch(run, batch, await begin(run, batch, true))
  // The operation failed while no run was watching, or so long ago that the database does not know it any more. A new
  // attempt shows what happens to the rest.
  if (state?.error || (!state && run.finished >= batch.from)) {
    await run.write({ to: 'forgotten', records: run.keys(run.finished + 1, batch.to) })
    return false
  }
  return awaitBatch(run, batch, state ?? (await begin(run, batch, true)))
}

/**
 * @param again whether they may have been begun before
 * @returns why the database refused the statements, or how the operation stands
 */
async function begin(
  run: MigrationRun,
  batch: Batch,
  again = false,
): Promise<Error | SchemaChangeState | undefined> {
  const { driver, signal } = run.services
  const statements = run
    .keys(batch.from, batch.to)
    .map(({ statement }) => withoutComments(run.statement(statement).sql, driver.dialect.lexicalSyntax))
  try {
    await beginChange(driver, statements, batch.operation, { signal, again })
    return undefined
  } catch (error) {
    if (isEnd(error, signal)) throw error
    // Of several tries the first may have come through.
    const state = await look(run, batch, batch.from)
    if (state) return state
    if (isRefusal(error)) return error
    throw run.unknown(batch.from, error)
  }
}

async function awaitBatch(
  run: MigrationRun,
  batch: Batch,
  begun: Error | SchemaChangeState | undefined,
): Promise<boolean> {
  if (begun instanceof Error) {
    if (batch.to === batch.from) return run.fail(batch.from, batch.to, begun)
    // Of statements that run in one transaction, the database has said which one it refuses.
    const { statement } = begun as Partial<IsothermError>
    if (statement !== undefined) return run.fail(batch.from + statement, batch.to, begun)
    await run.write({ to: 'forgotten', records: run.keys(run.finished + 1, batch.to) })
    return false
  }
  const backoff = new Backoff()
  const reportedPercent = new Map<number, number>()
  let knownAt = performance.now()
  for (let state = begun; ; state = undefined) {
    state ??= await look(run, batch, run.finished + 1)
    if (!state && performance.now() - knownAt > PATIENCE) {
      throw run.unknown(run.finished + 1, new Error(`The database knows no operation ${batch.operation}.`))
    }
    if (state) {
      knownAt = performance.now()
      if (await writeApplied(run, batch, state)) backoff.hurry()
      if (isUnknown(state)) throw run.unknown(run.finished + 1, state.error)
      if (state.error) return run.fail(run.finished + 1, batch.to, state.error)
      if (state.done) return true
      tellProgress(run, batch, state, reportedPercent)
    }
    await pause(backoff.next(), run.services.signal)
  }
}

/** Whether the outcome of a statement is unknown. */
function isUnknown({ error }: SchemaChangeState): boolean {
  return error?.code === 'OUTCOME_UNKNOWN'
}

async function look(
  run: MigrationRun,
  { operation }: Batch,
  number: number,
): Promise<SchemaChangeState | undefined> {
  const { driver, signal } = run.services
  const limits = new Limits({ signal })
  try {
    return await withRetries(() => driver.schemaChanges.state(operation, limits.options), limits)
  } catch (error) {
    throw isEnd(error, signal) ? error : run.unknown(number, error)
  }
}

/** Writes down which statements have become complete. @returns whether any has */
async function writeApplied(
  run: MigrationRun,
  { from, to }: Batch,
  { applied, done, error }: SchemaChangeState,
): Promise<boolean> {
  const first = run.finished + 1
  const last = done && !error ? to : Math.min(from + applied - 1, to)
  if (last < first) return false
  await run.write(...run.done(first, last))
  run.reportDone(first, last)
  return true
}

function tellStarted(run: MigrationRun, { from, to }: Batch, resumed: boolean): void {
  for (let number = from; number <= to; number++) {
    run.services.tell({ type: 'statement-started', resumed, ...run.position(number) })
  }
}

function tellProgress(
  run: MigrationRun,
  { from, to }: Batch,
  { progress }: SchemaChangeState,
  reportedPercent: Map<number, number>,
): void {
  for (let number = run.finished + 1; number <= to; number++) {
    const percent = progress[number - from] ?? 0
    if (percent === (reportedPercent.get(number) ?? 0)) continue
    reportedPercent.set(number, percent)
    run.services.tell({ type: 'statement-progress', percent, ...run.position(number) })
  }
}

/**
 * The id of the operation contains the name of its migration, so that it can be recognized in the database's list of
 * operations. The end is random, since the database keeps operations for days, and may have some of an earlier history that
 * was thrown away.
 */
function operationId({ migration }: MigrationRun, from: number, attempt: number): string {
  const of = createHash('sha256').update(`${migration.name}\n${migration.hash}`).digest('hex').slice(0, 12)
  return `isotherm_${of}_s${from}_a${attempt}_${randomBytes(4).toString('hex')}`
}
