import { IsothermError } from '../../errors.js'
import type { CompiledTable } from '../../database/compiled-table.js'
import { deletedKeys } from '../../database/writes.js'
import type { Wire } from '../../dialects/wire.js'
import type { CopyRun } from './copy-run.js'
import { refuseStopped, transactAgain } from './run-options.js'
import { rangeAfter, scannedKey, WHOLE } from './scan.js'

const MOST_ATTEMPTS = 10

/**
 * Deletes what the new tables hold before the copying begins. While the phase was new, some processes wrote both tables and
 * others only the old one: what is there by now may be out of date, and is copied anew.
 */
export async function emptyTables(run: CopyRun, tables: readonly CompiledTable[]): Promise<void> {
  // Children go before their parents.
  const childrenFirst = tables.toReversed()
  for (let attempt = 1; ; attempt++) {
    try {
      for (const table of childrenFirst) await emptyTable(run, table)
      return
    } catch (error) {
      // Meanwhile somebody wrote a child of a row that was to go.
      if (attempt === MOST_ATTEMPTS || !(error instanceof IsothermError) || error.code !== 'CONSTRAINT')
        throw error
    }
  }
}

/** Once through the key: rows that come behind the place where this is are up to date. */
async function emptyTable({ driver, control, batch, signal }: CopyRun, table: CompiledTable): Promise<void> {
  const { layout } = table
  const columns = layout.key.map(({ column }) => column)
  let position: Wire[] | undefined
  for (;;) {
    refuseStopped(signal)
    const ranges = [rangeAfter(WHOLE, position)]
    const keys = await transactAgain(driver, signal, async (context) => {
      // Whoever was thought dead must not delete what another has copied since.
      const { emptiedAt } = await control.require(context, 'writing')
      if (emptiedAt) return []
      const rows = await context.read({ layout, columns, ranges, limit: batch })
      const found = rows.map((cells) => scannedKey(table, columns, cells))
      if (found.length > 0) context.buffer([deletedKeys(layout, found)])
      return found
    })
    if (keys.length < batch) return
    position = keys.at(-1)
  }
}
