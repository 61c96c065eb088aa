import { constants } from 'node:os'
import { IsothermError } from '@isotherm/core'
import { startSpannerEmulator } from '@isotherm/core/engines'
import { readArguments, usage, type Wish } from './arguments.js'
import { runDemo } from './demo.js'
import { generatedLog, openLog, type LogSource } from './log-source.js'
import { progressFor } from './progress.js'
import { printable, wrap } from './text.js'
import { UserError } from './user-error.js'

const [NARROWEST, WIDEST] = [60, 110]

/** The end that was asked for: by Ctrl+C, or by a reader of the output that has gone (`demo | head`). */
class Stopped extends Error {
  readonly exitCode: number

  constructor(exitCode: number) {
    super('stopped')
    this.exitCode = exitCode
  }
}

async function main(): Promise<void> {
  const wish = readArguments(process.argv.slice(2))
  if (wish.kind === 'help') {
    process.stdout.write(usage)
    return
  }
  const stop = listenForStop()
  const log = await logFor(wish)
  try {
    await demoOf(log, stop)
  } catch (error) {
    throw stop.aborted ? stop.reason : error
  } finally {
    await log.close()
  }
}

async function demoOf(log: LogSource, stop: AbortSignal): Promise<void> {
  const out = process.stdout
  const width = Math.min(WIDEST, Math.max(NARROWEST, out.columns ?? WIDEST))
  const introduce = (what: string): void => void out.write(`${wrap(what, width).join('\n')}\n`)
  introduce(`Log     ${printable(log.description)}`)
  const engine = await startSpannerEmulator({ signal: stop })
  try {
    introduce(`Engine  ${engine.description}`)
    const progress = progressFor(out, process.stderr, log.total)
    // Not every call heeds the signal; the engine is stopped under those that do not.
    await Promise.race([runDemo({ engine, log, out, progress, width, signal: stop }), rejectedOn(stop)])
  } finally {
    await engine.stop()
  }
}

function logFor(wish: Exclude<Wish, { kind: 'help' }>): Promise<LogSource> | LogSource {
  if (wish.kind === 'generate') return generatedLog(wish.lines)
  const here = process.cwd()
  // pnpm runs a script in its package's folder, and tells where the user stood.
  return openLog(wish.file, [process.env['INIT_CWD'] ?? here, here])
}

function listenForStop(): AbortSignal {
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    // Once: a second Ctrl+C ends this process at once, and the emulator with it.
    process.once(signal, () => stop.abort(new Stopped(128 + constants.signals[signal])))
  }
  process.stdout.on('error', () => stop.abort(new Stopped(0)))
  return stop.signal
}

function rejectedOn(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}

try {
  await main()
} catch (error) {
  process.exitCode = error instanceof Stopped ? error.exitCode : 1
  if (error instanceof UserError || error instanceof IsothermError) console.error(`demo: ${error.message}`)
  else if (!(error instanceof Stopped)) console.error(error)
}
