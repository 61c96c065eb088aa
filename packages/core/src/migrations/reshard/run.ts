import { IsothermError } from '../../errors.js'
import { CompiledTables } from '../../database/compiled-table.js'
import type { Driver } from '../../database/driver.js'
import { dialectNamed } from '../../dialects/registry.js'
import type { Schema } from '../../model/schema.js'
import { parseReshardCommand, type TablePair } from './command.js'
import { Control, SETTLE, type ControlRow } from './control.js'
import { copyTables } from './copy.js'
import { transactAgain, type ReshardRunOptions } from './run-options.js'
import { verifyTables, type ReshardVerification, type VerifiedTable } from './verify.js'

/**
 * Runs a command of a change of a key: the text of a statement of the kind `reshard`. It may be run any number of times, and
 * ended at any moment: run again, it goes on.
 *
 * @param schema with both tables: the plan's, or that of the migration's snapshot
 * @throws {IsothermError} `UNSUPPORTED` where it is not its turn; `CONSTRAINT` where the tables to be compared differ;
 * `CANCELLED` once the signal has ended it.
 * @example
 * await runReshardCommand(driver, plan.schema, 'COPY UserAccessLog TO UserAccessLog_r64', { onProgress: console.log })
 */
export async function runReshardCommand(
  driver: Driver,
  schema: Schema,
  text: string,
  options: ReshardRunOptions = {},
): Promise<void> {
  const { action, tables: pairs } = parseReshardCommand(text)
  const [root] = pairs as [TablePair]
  const control = new Control(driver, root)
  const settling = { settle: options.settle ?? SETTLE, signal: options.signal }
  switch (action) {
    case 'BEGIN':
      return control.enter('writing', ['off'], settling)
    case 'COPY':
      return copyTables(driver, compiled(driver, schema), pairs, options)
    case 'VERIFY':
      return verify(driver, schema, pairs, control, options)
    case 'SWITCH':
      return control.enter('reading', ['writing'], settling, (row) => refuseUnverified(control, row))
    case 'RETURN':
      return control.enter('writing', ['reading'], settling)
    case 'FINISH':
      return control.enter('done', ['reading'], settling)
    case 'ABANDON':
      return control.enter('off', ['writing'], settling)
  }
}

/**
 * Compares the tables of a change of a key, as of one moment.
 *
 * @param schema with both tables
 * @param pairs the plan's `tables`
 * @throws {IsothermError} `SNAPSHOT_EXPIRED` where that takes longer than the database keeps versions, by default an hour.
 * @example
 * const { equal, tables } = await verifyReshard(driver, plan.schema, plan.tables)
 */
export function verifyReshard(
  driver: Driver,
  schema: Schema,
  pairs: readonly TablePair[],
  options: ReshardRunOptions = {},
): Promise<ReshardVerification> {
  return verifyTables(driver, compiled(driver, schema), pairs, options)
}

function compiled(driver: Driver, schema: Schema): CompiledTables {
  return new CompiledTables(schema, dialectNamed(driver.dialect))
}

async function verify(
  driver: Driver,
  schema: Schema,
  pairs: readonly TablePair[],
  control: Control,
  options: ReshardRunOptions,
): Promise<void> {
  const before = await control.read()
  if (before?.phase !== 'reading') {
    await control.require(driver, 'writing')
    if (!before?.copiedAt) throw control.refusal(before, 'has to be copied first')
  }
  const { equal, tables, readTimestamp } = await verifyReshard(driver, schema, pairs, options)
  if (!equal) throw unequal(pairs[0]!, tables)
  await transactAgain(driver, options.signal, async (context) => {
    const row = await control.require(context, before.phase)
    if (row.copiedAt) context.buffer(control.mutation({ ...row, verifiedAt: readTimestamp }))
  })
}

function refuseUnverified(control: Control, row: ControlRow): void {
  if (!row.copiedAt || !row.verifiedAt) throw control.refusal(row, 'has to be copied and verified first')
}

function unequal({ from, to }: TablePair, tables: readonly VerifiedTable[]): IsothermError {
  const found = tables.flatMap((table) =>
    table.differences.map(({ kind, key }) => `${table.to} (${key.map(String).join(', ')}) is ${kind}`),
  )
  const shown = found.slice(0, 5).join('; ')
  return new IsothermError('CONSTRAINT', `${from} and ${to} do not hold the same rows: ${shown}.`, {
    fix:
      `Somebody writes ${from} without dualWrites: deploy it everywhere, then run ABANDON and begin again. ` +
      'verifyReshard tells all that differs.',
    table: from,
  })
}
