import { hostname } from 'node:os'
import { IsothermError } from '../../errors.js'
import { Pace, pause, refuseStopped } from '../pace.js'
import type { LeaseRecord } from './tables.js'

/** Who holds the lease. */
export type LeaseHolder = Pick<LeaseRecord, 'description' | 'since' | 'until'>

export interface LeaseOptions {
  /** How long the lease lasts when its holder is silent, in milliseconds. Default: 60,000. */
  readonly lease?: number
  /** How long to wait for another holder, in milliseconds. Default: 0. */
  readonly wait?: number
  readonly signal?: AbortSignal
  /** Told each time that another is seen to hold it, and is waited for. */
  readonly onWait?: (holder: LeaseHolder) => void
}

/** A day, in milliseconds: it is how long others wait for one that is dead. */
const LONGEST_LEASE = 86_400_000

const LEASE = 60_000

/** Who is at work, for people. */
export const RUNNER = `${hostname()}:${process.pid}`

/** @throws {IsothermError} `INVALID_VALUE` for times that are none. */
export function leaseDuration({ lease = LEASE, wait = 0 }: LeaseOptions): number {
  checkTime('lease', lease, 1, LONGEST_LEASE)
  checkTime('wait', wait, 0)
  return lease
}

/**
 * Takes a lease, or waits for it.
 *
 * @param take undefined once it is ours; else who has it
 * @param holder asks who has it, which disturbs nobody: undefined where nobody has
 * @throws {IsothermError} `MIGRATION_LOCKED` naming who holds it, and until when.
 */
export async function takeOrWait(
  { wait = 0, signal, onWait }: LeaseOptions,
  take: () => Promise<LeaseHolder | undefined>,
  holder: () => Promise<LeaseHolder | undefined>,
): Promise<void> {
  const endsAt = performance.now() + wait
  const pace = new Pace(50, 1_000)
  for (let first = true; ; first = false) {
    refuseStopped(signal)
    // What takes it may have to wait for what its holder does.
    const other = (first ? undefined : await holder()) ?? (await take())
    if (!other) return
    const left = endsAt - performance.now()
    if (left <= 0) throw locked(other, wait)
    onWait?.(other)
    await pause(Math.min(pace.next(), left), signal)
  }
}

function locked(holder: LeaseHolder, wait: number): IsothermError {
  const waited = wait > 0 ? ` It was still so after ${wait} ms.` : ''
  return new IsothermError(
    'MIGRATION_LOCKED',
    `${holder.description} has been migrating this database since ${moment(holder.since)}.${waited}`,
    {
      fix: `Wait for it: --wait 5m of isotherm migrate, wait in milliseconds in code. If it is dead, its right to migrate ends at ${moment(holder.until)}.`,
    },
  )
}

/** To the second: the rest helps nobody. */
function moment(at: Date): string {
  return `${new Date(at.getTime()).toISOString().slice(0, 19)}Z`
}

function checkTime(name: string, milliseconds: number, least: number, most = Number.MAX_VALUE): void {
  if (typeof milliseconds === 'number' && milliseconds >= least && milliseconds <= most) return
  throw new IsothermError('INVALID_VALUE', `${name} is ${String(milliseconds)}.`, {
    fix: `Give a number of milliseconds, ${least} or more${most < Number.MAX_VALUE ? `, up to ${most}` : ''}.`,
  })
}
