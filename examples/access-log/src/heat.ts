import { bar, count } from './text.js'

/** The hottest of several shards. */
export interface Hottest {
  readonly shard: number
  /** Of all rows, from 0 to 1. */
  readonly share: number
}

export function hottest(counts: readonly number[]): Hottest {
  const rows = counts.reduce((sum, each) => sum + each, 0)
  const most = Math.max(...counts)
  return { shard: counts.indexOf(most), share: rows === 0 ? 0 : most / rows }
}

const COLUMNS = 4
const GAP = '  '

/** A bar per shard, in columns (read downwards), so that 64 shards fit a screen. */
export function shardBars(counts: readonly number[], width: number): string[] {
  const rows = Math.ceil(counts.length / COLUMNS)
  const most = Math.max(1, ...counts)
  const digits = count(most).length
  const names = String(counts.length - 1).length
  const barWidth = Math.max(4, Math.floor((width + GAP.length) / COLUMNS) - GAP.length - names - digits - 2)
  const cells = counts.map((rowsOfShard, shard) =>
    [
      String(shard).padStart(names),
      bar(rowsOfShard / most, barWidth).padEnd(barWidth),
      count(rowsOfShard).padStart(digits),
    ].join(' '),
  )
  return Array.from({ length: rows }, (_, row) =>
    cells.filter((_cell, shard) => shard % rows === row).join(GAP),
  )
}
