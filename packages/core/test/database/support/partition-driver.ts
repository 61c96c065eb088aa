import type { Driver, WriteCallOptions } from '@isotherm/core'
import type { ReadRequest } from '../../../src/database/driver.js'
import type { TableLayout } from '../../../src/dialects/layout.js'
import type { Mutation } from '../../../src/dialects/mutation.js'
import type { Wire } from '../../../src/dialects/wire.js'
import { bareDriver } from '../../support/bare-driver.js'

export interface Written {
  readonly mutations: readonly Mutation[]
  readonly options: WriteCallOptions | undefined
}

export interface Added {
  readonly key: readonly Wire[]
  readonly amounts: Readonly<Record<string, bigint>>
}

export interface PartitionDriver extends Driver<undefined> {
  readonly writes: Written[]
  readonly reads: ReadRequest[]
  readonly added: Added[]
}

/** What becomes of a commit, or of an addition: it fails, or its answer takes as long as a promise. */
export type Fate = (write: { readonly row: readonly Wire[]; readonly number: number }) => unknown

/** A driver of no database, whose commits are partitions: it writes down what it is given, and fails as it is told. */
export function partitionDriver(
  target: 'cassandra' | 'keyspaces' = 'cassandra',
  fate: Fate = () => undefined,
): PartitionDriver {
  const writes: Written[] = []
  const reads: ReadRequest[] = []
  const added: Added[] = []
  let number = 0
  const meet = async (row: readonly Wire[]): Promise<void> => {
    const outcome = fate({ row, number: number++ })
    if (outcome instanceof Error) throw outcome
    await outcome
  }
  return {
    ...bareDriver('This driver only writes.'),
    name: target === 'keyspaces' ? 'Keyspaces' : 'Cassandra',
    system: 'cassandra',
    target,
    takes: ['ttl', 'writeTime', 'consistency', 'check'],
    writes,
    reads,
    added,
    async read(request) {
      reads.push(request)
      return []
    },
    async write(mutations, options) {
      await meet(rowsOf(mutations)[0]!)
      writes.push({ mutations, options })
      return { commitTimestamp: undefined }
    },
    counters: {
      async add(_: TableLayout, changes) {
        for (const { key, amounts } of changes) {
          await meet(key)
          const named = [...amounts].map(([column, amount]) => [column.name, amount] as const)
          added.push({ key, amounts: Object.fromEntries(named) })
        }
      },
    },
  }
}

/** All rows of a commit, or keys of those that it deletes. */
export function rowsOf(mutations: readonly Mutation[]): readonly (readonly Wire[])[] {
  return mutations.flatMap((mutation) => (mutation.op === 'delete' ? mutation.keys : mutation.rows))
}
