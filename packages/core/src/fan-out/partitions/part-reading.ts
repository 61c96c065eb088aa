import type { PlainRow } from '../../database/codec.js'
import type { CompiledTable } from '../../database/compiled-table.js'
import type { CallOptions, Cells, ReadPartOptions } from '../../database/driver.js'
import { predicateOf, type Predicate } from '../../database/predicate.js'
import { IsothermError } from '../../errors.js'
import { OperationSpan } from '../../observability/operation-span.js'
import { checkTable, openPart, partRequest, type FanOutPart } from './part.js'
import { partitionsOf } from './partitions.js'
import { RowIterator } from '../reading/row-iterator.js'
import type { FanOutServices } from '../services.js'
import { withRetries } from '../../database/retries.js'
import { conditionFrom } from './undescribe.js'

/** How a part is read, where it should not be as its query said. */
export type PartOptions = Omit<ReadPartOptions, 'dataBoost'>

/** @throws {IsothermError} `INVALID_PART` at once, for a part that cannot be read here. */
export function readPart(
  { driver, cursorSecrets }: FanOutServices,
  table: CompiledTable,
  given: FanOutPart,
  options: PartOptions,
): RowIterator<PlainRow> {
  const part = openPart(given, cursorSecrets)
  checkTable(part, table)
  const { dataBoost, priority, tag, directedReads, source, token } = part
  const call: ReadPartOptions = {
    ...(dataBoost && { dataBoost }),
    ...(priority !== undefined && { priority }),
    ...(tag !== undefined && { tag }),
    ...(directedReads && { directedReads }),
    ...options,
    // Many parts may listen to one signal: no leak, whatever Node would say of more than ten.
    ...(options.signal && { signal: AbortSignal.any([options.signal]) }),
  }
  const request = partRequest(part, table)
  const filter = 'filter' in source ? source.filter : undefined
  const matches = filter && predicateOf(conditionFrom(table.layout, filter), table.dialect)
  const partitioned = partitionsOf(driver)
  const read = () => partitioned.readPart(request, token, call)
  return new RowIterator(batchesOf(table, driver.system, read, matches, call), call.signal)
}

/** @throws {IsothermError} `INVALID_PART` for what is no part. */
export async function closeParts(
  { driver, cursorSecrets }: FanOutServices,
  given: FanOutPart,
  options: CallOptions,
): Promise<void> {
  await partitionsOf(driver).closeParts(openPart(given, cursorSecrets).token, options)
}

async function* batchesOf(
  { codec, layout }: CompiledTable,
  system: string,
  read: () => AsyncIterable<readonly Cells[]>,
  matches: Predicate | undefined,
  { signal, deadline }: CallOptions,
): AsyncGenerator<PlainRow[], void, undefined> {
  const { name } = layout.table
  const endsAt = performance.now() + (deadline ?? Infinity)
  const span = new OperationSpan({ system, table: name }, { operation: 'read_part' })
  let taken = 0
  let returned = 0
  // Until there is a row, nobody minds a new beginning.
  const begin = async (attempt: number) => {
    if (attempt > 0) span.retry(attempt)
    const batches = read()[Symbol.asyncIterator]()
    return { batches, first: await batches.next() }
  }
  const explained = (error: unknown): unknown => {
    if (signal?.aborted) return cancelled(name, signal)
    if (deadline === undefined || performance.now() < endsAt) return brokenOff(name, taken, error)
    return new IsothermError('DEADLINE', `The part of ${name} was not read within ${deadline} ms.`, {
      fix: 'Give it a longer deadline, or none: a part may take as long as its rows do.',
      table: name,
      cause: error,
    })
  }
  let batches: AsyncIterator<readonly Cells[]> | undefined
  let failure: unknown
  try {
    const begun = await withRetries((attempt) => span.within(() => begin(attempt)), {
      signal: signal ?? new AbortController().signal,
      endsAt,
    })
    batches = begun.batches
    const next = () => span.within(() => begun.batches.next())
    for (let batch = begun.first; batch.done !== true; batch = await next()) {
      if (signal?.aborted) throw cancelled(name, signal)
      const decoded = batch.value.map((cells) => codec.decode(cells))
      const rows = matches ? decoded.filter((row) => matches(row) === true) : decoded
      taken += decoded.length
      returned += rows.length
      yield rows
    }
    // Rows that nobody had taken yet are gone.
    if (signal?.aborted) throw cancelled(name, signal)
  } catch (error) {
    failure = explained(error)
    throw failure
  } finally {
    if (failure !== undefined) span.fail(failure)
    span.end({ 'isotherm.rows_read': taken, 'isotherm.rows_returned': returned })
    await batches?.return?.()
  }
}

function cancelled(name: string, signal: AbortSignal): IsothermError {
  return new IsothermError('CANCELLED', `The reading of a part of ${name} was cancelled by its signal.`, {
    table: name,
    cause: signal.reason,
  })
}

/** The database resumes what it can. What it cannot would begin at the first row, and rows would come twice. */
function brokenOff(name: string, taken: number, error: unknown): unknown {
  if (taken === 0 || !(error instanceof IsothermError) || !error.transient) return error
  return new IsothermError(
    error.code,
    `The part of ${name} broke off after ${taken} rows, and cannot be resumed: ${error.message}`,
    {
      fix: 'Undo what came of these rows, and read the part again from its beginning: it holds the same rows.',
      table: name,
      transient: true,
      cause: error,
    },
  )
}
