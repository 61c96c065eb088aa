import { median } from '../statistics.js'
import type { Figures, Row } from './comparison.js'

/** Something that a run has to reach, and what it reached. */
export interface Target {
  readonly what: string
  readonly measured: string
  readonly target: string
  readonly met: boolean
}

/** Of the rate of the same loop with a counter in memory. */
const MIN_RATE = 0.95
/** Milliseconds by which its p99 may be above that loop's. */
const MAX_ABOVE = 2
/** Of the rate that the latency of one caller alone allows. */
const MIN_SHARE = 0.8
/** Of 1,000 calls, with adaptive ranges at a steady rate. */
const MAX_WAITS = 1
/** Milliseconds. */
const LONGEST_RECOVERY = 5_000

export function targetsOf({ rows, adaptive }: Figures): Target[] {
  const [before, after] = adaptive.jump.map((rate) => rate.toLocaleString('en'))
  return [
    ...rows.filter(({ mode }) => mode === 'sync').map(shareOfSerial),
    ...rows.filter(({ mode }) => mode === 'async-batch').flatMap(againstPlain),
    {
      what: `async batch, adaptive, 50 callers: calls that wait, of ${adaptive.calls.toLocaleString('en')}`,
      measured: `${adaptive.waits.toFixed(2)} in 1,000`,
      target: `< ${MAX_WAITS} in 1,000`,
      met: adaptive.waits < MAX_WAITS,
    },
    {
      what: `async batch, adaptive, from ${before} to ${after} calls a second: the last call that waits`,
      measured: adaptive.recovery === 0 ? 'none' : `answered after ${adaptive.recovery.toFixed(0)} ms`,
      target: `≤ ${LONGEST_RECOVERY.toLocaleString('en')} ms`,
      met: adaptive.recovery <= LONGEST_RECOVERY,
    },
  ]
}

export function missedOf(targets: readonly Target[]): string[] {
  return targets.filter(({ met }) => !met).map(({ what, measured }) => `${what}: ${measured}`)
}

function shareOfSerial(row: Row): Target {
  const share = overRounds(row, ({ ours, reference }) => (ours.rate * reference.p50) / 1_000)
  return {
    what: `${nameOf(row)}: of the rate that one caller's latency (${row.reference!.p50.toFixed(1)} ms) allows`,
    measured: share.toFixed(2),
    target: `≥ ${MIN_SHARE.toFixed(2)}`,
    met: share >= MIN_SHARE,
  }
}

function againstPlain(row: Row): Target[] {
  const rate = overRounds(row, ({ ours, reference }) => ours.rate / reference.rate)
  const above = overRounds(row, ({ ours, reference }) => ours.p99 - reference.p99)
  const { reference } = row
  return [
    {
      what: `${nameOf(row)}: of the rate with a plain counter (${reference!.rate.toFixed(0)}/s)`,
      measured: rate.toFixed(3),
      target: `≥ ${MIN_RATE}`,
      met: rate >= MIN_RATE,
    },
    {
      what: `${nameOf(row)}: p99 above that with a plain counter (${reference!.p99.toFixed(1)} ms)`,
      measured: `${above.toFixed(1)} ms`,
      target: `≤ ${MAX_ABOVE} ms`,
      met: above <= MAX_ABOVE,
    },
  ]
}

/** Medians of what is compared within a round: what disturbs the machine for longer disturbs both sides. */
function overRounds({ rounds }: Row, of: (round: Required<Row['rounds'][number]>) => number): number {
  return median(rounds.flatMap(({ ours, reference }) => (reference ? of({ ours, reference }) : [])))
}

function nameOf({ title, callers }: Row): string {
  return `${title}, ${callers} callers`
}
