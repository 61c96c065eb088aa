import type { Writable } from 'node:stream'
import { Presets, SingleBar } from 'cli-progress'
import { count } from './text.js'

/** Shows how far a long work is. */
export interface Progress {
  /** @param total where `position` will end; undefined where that is not known */
  start(total: number | undefined): void
  update(position: number, rows: number): void
  stop(): void
}

const PLAIN_LINE_EVERY_MS = 2_000

/** A bar that is drawn over itself: for a terminal. */
export function barProgress(terminal: NodeJS.WritableStream): Progress {
  const bar = new SingleBar(
    {
      format: '  {bar} {percentage} %, {rows} rows',
      stream: terminal,
      barsize: 40,
      // The demo ends on a signal by itself, and cleans up more than a bar.
      gracefulExit: false,
    },
    Presets.shades_classic,
  )
  return {
    start: (total) => bar.start(total ?? 0, 0, { rows: '0' }),
    update: (position, rows) => bar.update(position, { rows: count(rows) }),
    stop: () => bar.stop(),
  }
}

/** A line now and then: for a file, a pipe or a CI's log. */
export function lineProgress(out: Writable): Progress {
  let total: number | undefined
  let last = 0
  return {
    start: (whole) => {
      total = whole
      last = Date.now()
    },
    update: (position, rows) => {
      if (Date.now() - last < PLAIN_LINE_EVERY_MS) return
      last = Date.now()
      const share = total === undefined ? '' : ` (${Math.floor((100 * position) / total)} %)`
      out.write(`  ${count(rows)} rows so far${share}\n`)
    },
    stop: () => {},
  }
}

/** The one that fits the streams. A bar needs a known end, and a terminal that can move its cursor. */
export function progressFor(
  out: Writable,
  terminal: NodeJS.WriteStream,
  total: number | undefined,
): Progress {
  const drawable = terminal.isTTY && process.env['TERM'] !== 'dumb' && total !== undefined
  return drawable ? barProgress(terminal) : lineProgress(out)
}
