import type { Sequence } from '../../model/schema.js'
import type { Made } from '../layout.js'

export type Counter = Pick<Sequence, 'startCounter' | 'skipRange'>

/** What of a counter is another: a counter begins at 1 unless something else is said. */
export function counterChanges(
  from: Counter,
  to: Counter,
): { readonly start?: string; readonly range?: Counter['skipRange'] | 'none' } {
  const start = to.startCounter ?? '1'
  return {
    ...(start !== (from.startCounter ?? '1') && { start }),
    ...(String(to.skipRange) !== String(from.skipRange) && { range: to.skipRange ?? 'none' }),
  }
}

/** The clauses that change an identity's counter; the two ends of a range are parted by what the dialect has there. */
export function identityChanges(
  from: Made | undefined,
  to: Made | undefined,
  separator: ' ' | ', ',
): string[] {
  if (from?.by !== 'identity' || to?.by !== 'identity') return []
  const { start, range } = counterChanges(from, to)
  return [
    ...(range === undefined
      ? []
      : [range === 'none' ? 'SET NO SKIP RANGE' : `SET SKIP RANGE ${range.join(separator)}`]),
    ...(start === undefined ? [] : [`RESTART COUNTER WITH ${start}`]),
  ]
}
