import { IsothermError } from '../errors.js'

/** What a table is to carry at its peak. */
export interface ShardLoad {
  /** Rows written in a second. */
  readonly writesPerSecond: number
  readonly rowBytes: number
  /** Rows read in a second. Default: none. */
  readonly readsPerSecond?: number
  /** How much more shards are to carry: 0.5 is half as much again. Default: 0. */
  readonly headroom?: number
}

/** @throws {IsothermError} `INVALID_VALUE` naming the number that is none, or below zero. */
export function checkedLoad({
  writesPerSecond,
  rowBytes,
  readsPerSecond = 0,
  headroom = 0,
}: ShardLoad): Required<ShardLoad> {
  const load = { writesPerSecond, rowBytes, readsPerSecond, headroom }
  for (const [name, value] of Object.entries(load)) {
    if (Number.isFinite(value) && value >= 0) continue
    throw new IsothermError('INVALID_VALUE', `${name} is ${String(value)}.`, {
      fix: 'Give a number that is not below zero.',
    })
  }
  return load
}
