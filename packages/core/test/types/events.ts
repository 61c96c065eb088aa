// Compiled, never run: what the listeners of a database are given.
import type {
  Database,
  DatabaseEvents,
  FanOutReport,
  IsothermError,
  MissingShard,
  SkewEvent,
} from '@isotherm/core'
import type { Equal, Expect } from './equal.js'

export function listen(db: Database): Database {
  db.on('skew', ({ of, by, shard, keyHash }) => {
    const ofWhat: 'shard' | 'key' | 'few-shards' = of
    const operation: 'reads' | 'writes' = by
    // @ts-expect-error: the shard may not be known
    const number: number = shard
    // @ts-expect-error: a shard has no key
    const text: string = keyHash
    void [ofWhat, operation, number, text]
  })
  db.on('fanOut', (report) => {
    const missing: readonly MissingShard[] = report.missing
    const error: unknown = report.error
    // @ts-expect-error: a report is not for changing
    report.calls = 0
    // @ts-expect-error: it tells of no key
    void report.keyHash
    void [missing, error]
  })
  // @ts-expect-error: there is no such event
  db.on('write', () => {})
  // @ts-expect-error: the listener is another event's
  db.on('fanOut', (event: SkewEvent) => event.of)
  const listener = (report: FanOutReport): number => report.retries
  // @ts-expect-error: the listener is another event's
  db.off('skew', listener)
  return db.on('fanOut', listener).off('fanOut', listener)
}

export type Names = Expect<Equal<keyof DatabaseEvents, 'fanOut' | 'skew'>>
export type Skew = Expect<Equal<DatabaseEvents['skew'], [event: SkewEvent]>>
export type Missing = Expect<Equal<MissingShard['error'], IsothermError>>
