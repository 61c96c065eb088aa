import { type Driver, IsothermError, type Schema, checkOptions, itemAt } from '@isotherm/core/engine'
import { CompiledTables, type ReshardPhase, checkShape, decided, findTable } from '@isotherm/core/tools'
import { checkArguments } from '../options.js'
import { tablesThere } from '../history/ensure-tables.js'
import { type TablePair, formatReshardCommand, parseReshardCommand } from './command.js'
import { Control, type ControlRow, PROPAGATION_WAIT_MS, type Propagation } from './control.js'
import { copyTables } from './copy.js'
import { RUN_OPTIONS, type ReshardRunOptions, transactAgain } from './run-options.js'
import { type ReshardVerification, type VerifiedTable, verifyTables } from './verify.js'

/**
 * How old a verification may be when the new table begins to be read, in milliseconds: longer than it takes itself, since the
 * database keeps versions for an hour by default, and short enough to be of the deployment that is running.
 */
const MAX_AGE = 24 * 3_600_000

/**
 * Runs a command of a change of a key: the text of a statement of the kind `reshard`. You may run it any number of times,
 * and interrupt it at any point: the next run goes on.
 *
 * @param schema with both tables: the plan's, or that of the migration's snapshot
 * @throws {IsothermError} `RESHARD_REFUSED` if another step has to run first; `CONSTRAINT` if the compared tables differ;
 * `CANCELLED` once the signal has ended it.
 * @example
 * await runReshardCommand(driver, plan.schema, 'COPY UserAccessLog TO UserAccessLog_r64', { onProgress: console.log })
 */
export async function runReshardCommand(
  userDriver: Driver,
  schema: Schema,
  text: string,
  options: ReshardRunOptions = {},
): Promise<void> {
  checkArguments('runReshardCommand', { driver: userDriver, text })
  checkShape('runReshardCommand', schema)
  checkOptions('runReshardCommand', RUN_OPTIONS, options)
  const { action, tables: pairs } = parseReshardCommand(text)
  const [root] = pairs as [TablePair]
  const driver = await decided(userDriver)
  const control = new Control(driver, root)
  const propagation = {
    propagationWaitMs: options.propagationWaitMs ?? PROPAGATION_WAIT_MS,
    signal: options.signal,
  }
  const step: Step = { driver, schema, pairs, control, options }
  switch (action) {
    case 'PREPARE':
      return control.prepare(propagation, () => isThere(step))
    case 'BEGIN':
      return control.enter('writing', ['off'], propagation)
    case 'COPY':
      return copyTables(driver, compiled(driver, schema), pairs, options)
    case 'VERIFY':
      return verify(step)
    case 'SWITCH': {
      const now = await control.now()
      return control.enter('reading', ['writing'], propagation, (row) => refuseUnverified(step, row, now))
    }
    case 'RETURN':
      return control.enter('writing', ['reading'], propagation)
    case 'FINISH':
      return finish(step, propagation)
    case 'RETIRE':
      return control.propagated('done', propagation.propagationWaitMs, propagation.signal)
    case 'ABANDON':
      await propagatedIn('writing', control, propagation)
      return control.enter('off', ['writing'], propagation)
  }
}

/** A command as it is run. */
interface Step {
  readonly driver: Driver
  readonly schema: Schema
  readonly pairs: readonly TablePair[]
  readonly control: Control
  readonly options: ReshardRunOptions
}

/**
 * Compares the tables of a change of a key, in one snapshot.
 *
 * @param schema with both tables
 * @param pairs the plan's `tables`
 * @throws {IsothermError} `SNAPSHOT_EXPIRED` if that takes longer than the database keeps versions, by default an hour.
 * @example
 * const { equal, tables } = await verifyReshard(driver, plan.schema, plan.tables)
 */
export async function verifyReshard(
  userDriver: Driver,
  schema: Schema,
  pairs: readonly TablePair[],
  options: ReshardRunOptions = {},
): Promise<ReshardVerification> {
  checkArguments('verifyReshard', { driver: userDriver, pairs })
  checkShape('verifyReshard', schema)
  checkOptions('verifyReshard', RUN_OPTIONS, options)
  const driver = await decided(userDriver)
  return verifyTables(driver, compiled(driver, schema), pairs, options)
}

function compiled(driver: Driver, schema: Schema): CompiledTables {
  return new CompiledTables(schema, driver.dialect)
}

async function isThere({ driver, schema, pairs, options: { signal } }: Step): Promise<boolean> {
  const { name } = compiled(driver, schema).of(itemAt(pairs, 0).to).layout.table
  return (await tablesThere(driver, schema, { ...(signal && { signal }) })).has(name)
}

/** A step on from a phase that some have not come to yet would leave them two phases behind. */
async function propagatedIn(
  phase: ReshardPhase,
  control: Control,
  { propagationWaitMs, signal }: Propagation,
): Promise<ControlRow | undefined> {
  const row = await control.read()
  if (row?.phase === phase) await control.propagated(phase, propagationWaitMs, signal)
  return row
}

async function verify(step: Step): Promise<void> {
  const { driver, control, options } = step
  const before = await control.read()
  if (before?.phase !== 'reading') {
    await control.require(driver, 'writing')
    if (!before?.copiedAt) throw control.refusal(before, 'has to be copied first')
  }
  const readTimestamp = await verified(step, before)
  await transactAgain(driver, options.signal, async (context) => {
    const row = await control.require(context, before.phase)
    if (row.changedAt.getTime() !== before.changedAt.getTime()) {
      throw control.refusal(row, 'has changed its phase while it was verified', 'Run VERIFY again.')
    }
    context.buffer(control.mutation({ ...row, verifiedAt: readTimestamp }))
  })
}

/** The old table is compared once more here, since this is the last time when it is still written. */
async function finish(step: Step, propagation: Propagation): Promise<void> {
  const { control } = step
  const row = await propagatedIn('reading', control, propagation)
  if (row?.phase === 'reading') await verified(step, row)
  return control.enter('done', ['reading'], propagation)
}

/** @returns as of when the tables are the same @throws {IsothermError} `CONSTRAINT` */
async function verified({ driver, schema, pairs, options }: Step, { phase }: ControlRow): Promise<Date> {
  const { equal, tables, readTimestamp } = await verifyReshard(driver, schema, pairs, options)
  if (equal) return readTimestamp
  const expiring = pairs.map(({ from }) => findTable(schema, from)).find((table) => table?.rowDeletion)
  throw unequal(pairs, tables, phase, expiring?.name)
}

function refuseUnverified({ control, pairs }: Step, row: ControlRow, now: Date): void {
  const { copiedAt, verifiedAt } = row
  const fix = `Run ${formatReshardCommand({ action: 'VERIFY', tables: pairs })}.`
  if (!copiedAt || !verifiedAt) throw control.refusal(row, 'has to be copied and verified first', fix)
  const age = now.getTime() - verifiedAt.getTime()
  if (age <= MAX_AGE) return
  const what = `was verified as of ${verifiedAt.toISOString()}, more than a day ago`
  throw control.refusal(
    row,
    what,
    `${fix} Rows that a process without dualWrites has written since then are missing in the new table.`,
  )
}

function unequal(
  pairs: readonly TablePair[],
  tables: readonly VerifiedTable[],
  phase: ReshardPhase,
  expiring: string | undefined,
): IsothermError {
  const [{ from, to }] = pairs as [TablePair]
  const found = tables.flatMap((table) =>
    table.differences.map(({ kind, key }) => `${table.to} (${key.map(String).join(', ')}) is ${kind}`),
  )
  const shown = found.slice(0, 5).join('; ')
  const back = phase === 'reading' ? 'RETURN, then ABANDON' : 'ABANDON'
  return new IsothermError('CONSTRAINT', `${from} and ${to} do not hold the same rows: ${shown}.`, {
    fix:
      `A process writes ${from} without dualWrites: deploy it everywhere, then run ${back} and begin again. ` +
      (expiring === undefined
        ? ''
        : `Or row deletion has deleted a row of ${expiring}, with the rows below it, from one table before its time was changed: ` +
          'copying again repairs that, too. ') +
      'verifyReshard() lists the differences.',
    table: from,
  })
}
