import type { Driver, WriteCallOptions } from '@isotherm/core'
import { type CqlDialect, cql } from '@isotherm/cassandra'
import { optionValues } from '../../../../cassandra/src/driver/driver.js'
import type { ReadRequest } from '../../../src/engine/driver.js'
import { partitionCounters, partitionWrites } from '../../../src/engine/partition-writes.js'
import type { Wire } from '../../../src/layout/layout.js'
import type { Mutation } from '../../../src/layout/statement.js'
import { bareDriver } from '../../support/bare-driver.js'

export interface Written {
  readonly mutations: readonly Mutation[]
  readonly options: WriteCallOptions
}

export interface Added {
  readonly key: readonly Wire[]
  readonly amounts: Readonly<Record<string, bigint>>
}

export interface PartitionDriver extends Driver<undefined> {
  readonly written: Written[]
  readonly reads: ReadRequest[]
  readonly added: Added[]
}

/** The outcome of a commit, or of an addition: an error, or a promise that is awaited. */
export type Fate = (write: { readonly row: readonly Wire[]; readonly number: number }) => unknown

/** A driver without a database, whose commits are partitions: it records its calls, and fails as `fate` says. */
export function partitionDriver(dialect: CqlDialect = cql, fate: Fate = () => undefined): PartitionDriver {
  const written: Written[] = []
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
    name: dialect.cql.engine,
    system: 'cassandra',
    dialect,
    takes: ['ttlSeconds', 'writeTime', 'consistency', 'conditional'],
    optionValues: optionValues(dialect.cql.engine, dialect.cql.has),
    written,
    reads,
    added,
    async read(request) {
      reads.push(request)
      return []
    },
    writes: partitionWrites({
      name: dialect.cql.engine,
      maxRows: dialect.cql.has.statementsPerBatch,
      async commit(mutations, options) {
        await meet(rowsOf(mutations)[0]!)
        written.push({ mutations, options })
      },
    }),
    counters: partitionCounters(async (_, { key, amounts }) => {
      await meet(key)
      const named = [...amounts].map(([column, amount]) => [column.name, amount] as const)
      added.push({ key, amounts: Object.fromEntries(named) })
    }),
  }
}

/** All rows of a commit, or the keys of the rows that it deletes. */
export function rowsOf(mutations: readonly Mutation[]): readonly (readonly Wire[])[] {
  return mutations.flatMap((mutation) => (mutation.op === 'delete' ? mutation.keys : mutation.rows))
}
