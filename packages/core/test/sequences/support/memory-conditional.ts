import { IsothermError, type ConditionalWrites, type Driver } from '@isotherm/core'
import { bareDriver } from '../../support/bare-driver.js'

/** What happens to a conditional write: the answer to a lost one never arrives, whether it took place or not. */
export type WriteFate = 'well' | 'lost' | 'lost-and-written' | 'unavailable'

/** Rows of sequences in a database that has conditional writes, and no transactions. */
export class ConditionalDatabase {
  readonly rows = new Map<string, bigint>()
  readonly calls: ('read' | 'write')[] = []
  /** What happens to writes, one after the other. */
  readonly fates: WriteFate[]
  readonly #latency: () => number
  hasTable = true

  constructor(fates: readonly WriteFate[] = [], latency: () => number = () => 2) {
    this.fates = [...fates]
    this.#latency = latency
  }

  /** That of another process each time. */
  driver(): Driver {
    return {
      ...bareDriver('This driver has conditional writes only.'),
      client: {},
      atomic: this.#conditional(),
    }
  }

  #conditional(): ConditionalWrites {
    return {
      kind: 'conditional-writes',
      read: async ({ layout, keys }) => {
        this.calls.push('read')
        await this.#pause()
        this.#refuseWithoutTable(layout.table.name)
        const found = this.rows.get(String(keys![0]![0]))
        return found === undefined ? [] : [[keys![0]![0], found]]
      },
      writeIf: async ({ mutation, condition }) => {
        this.calls.push('write')
        await this.#pause()
        this.#refuseWithoutTable(mutation.table)
        if (mutation.op === 'delete') throw new Error('Nothing is deleted here.')
        const [name, next] = mutation.rows[0]!.map(String) as [string, string]
        const fate = this.fates.shift() ?? 'well'
        if (fate === 'unavailable')
          throw new IsothermError('UNAVAILABLE', 'The database does not answer.', { retryable: true })
        const found = this.rows.get(name)
        const applied =
          condition === null ? found === undefined : String(condition['next_value']) === String(found)
        if (applied && fate !== 'lost') this.rows.set(name, BigInt(next))
        await this.#pause()
        if (fate !== 'well') throw new IsothermError('OUTCOME_UNKNOWN', 'The answer is lost.')
        return applied ? { applied } : { applied, found: [found ?? null] }
      },
    }
  }

  #refuseWithoutTable(table: string): void {
    if (!this.hasTable) throw new IsothermError('NOT_FOUND', `unconfigured table ${table}`)
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, this.#latency()))
  }
}
