import { bindingOf } from '../model/bindings.js'
import type { Column } from '../model/column.js'
import type { HashSource, ShardSource, TimeBucketSource, ValueSource } from '../model/key.js'
import { columnOf, type Table } from '../model/table.js'
import type { Fill } from './layout.js'

/** Who makes a column's value when an insert leaves it out: the same in every dialect, but for what each refuses. */
export function fillOf(table: Table, column: Column): Fill {
  const { source, inherited } = column
  if (column.generated || (column.default !== undefined && !inherited)) return { by: 'database' }
  if (!source) return { by: 'caller' }
  if (source.kind === 'shard') return shardFill(table, source)
  if (source.kind === 'hash') return canCompute(table, source) ? { by: 'hash', source } : { by: 'caller' }
  if (source.kind === 'time-bucket') return bucketFill(table, source, inherited)
  // The parent's row has its value, and the child is told which parent it has.
  return inherited ? { by: 'caller' } : madeFill(source)
}

function madeFill(source: Exclude<ValueSource, ShardSource | HashSource | TimeBucketSource>): Fill {
  switch (source.kind) {
    case 'uuid-v4':
      return { by: 'uuid-v4' }
    case 'timeuuid':
      return { by: 'timeuuid' }
    case 'timestamp':
      return source.from === 'now' ? { by: 'clock' } : { by: 'commit-timestamp' }
    case 'bit-reversed': {
      if (source.from !== 'client') return { by: 'database' }
      return counterFill(source, true)
    }
    case 'sequential':
      return counterFill(source, false)
  }
}

/** A child can compute its parent's bucket where it has inherited the time too: a time of its own is another one. */
function bucketFill(table: Table, source: TimeBucketSource, inherited: boolean): Fill {
  const time = columnOf(table, source.of)
  return time && (time.inherited || !inherited) ? { by: 'bucket', source } : { by: 'caller' }
}

function counterFill(source: ValueSource, reverses: boolean): Fill {
  const { counter } = bindingOf(source)
  // Numbers that come reversed would be in order again, if they were reversed once more.
  return counter
    ? { by: 'counter', counter, reversed: reverses && counter.bitReversed !== true }
    : { by: 'caller' }
}

function shardFill(table: Table, source: ShardSource): Fill {
  if (!canCompute(table, source)) return { by: 'caller' }
  // An expression of somebody else's that came without a function: only the database knows.
  if (source.expression !== undefined && !bindingOf(source).shard)
    return source.computedBy === 'database' ? { by: 'database' } : { by: 'caller' }
  return { by: 'shard', source }
}

/** A child inherits its parent's shard; it can compute it where it has inherited the hashed columns too. */
export function canCompute(table: Table, source: ShardSource | HashSource): boolean {
  return source.of.every((property) => columnOf(table, property) !== undefined)
}
