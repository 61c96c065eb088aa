import { IsothermError } from '@isotherm/core'
import { readArguments, usage, type Wish } from './arguments.js'
import { runDemo } from './demo.js'
import { startEngine, type EngineWish } from './engine.js'
import { generatedLog, openLog, type LogSource } from './log-source.js'
import { progressFor } from './progress.js'
import { endBy, listenForStop, rejectedOn, Stopped } from './stop.js'
import { printable, wrap } from './text.js'
import { UserError } from './user-error.js'

const [NARROWEST, WIDEST] = [60, 110]

async function main(): Promise<void> {
  const wish = readArguments(process.argv.slice(2))
  if (wish.kind === 'help') {
    process.stdout.write(usage)
    return
  }
  const log = await logFor(wish)
  const stop = listenForStop()
  try {
    await demoOf(log, wish, stop)
  } catch (error) {
    throw stop.aborted ? stop.reason : error
  } finally {
    // Not waited for: a pipe is closed only once it has said something.
    log.close().catch(() => {})
  }
}

async function logFor(wish: Exclude<Wish, { kind: 'help' }>): Promise<LogSource> {
  if (wish.kind === 'generate') return generatedLog(wish.lines)
  const here = process.cwd()
  // pnpm runs a script in its package's folder, and tells where the user stood.
  return openLog(wish.file, [process.env['INIT_CWD'] ?? here, here])
}

async function demoOf(log: LogSource, wish: EngineWish, stop: AbortSignal): Promise<void> {
  const out = process.stdout
  const width = Math.min(WIDEST, Math.max(NARROWEST, out.columns ?? WIDEST))
  const introduce = (what: string): void => void out.write(`${wrap(what, width).join('\n')}\n`)
  introduce(`Log     ${printable(log.description)}`)
  const engine = await startEngine(wish, stop)
  const progress = progressFor(out, process.stderr, log.total)
  try {
    introduce(`Engine  ${engine.description}`)
    for (const note of engine.notes) introduce(`        ${note}`)
    // Not every call heeds the signal; the engine is stopped under those that do not.
    await Promise.race([runDemo({ engine, log, out, progress, width, signal: stop }), rejectedOn(stop)])
  } finally {
    progress.stop()
    await engine.stop()
  }
}

try {
  await main()
} catch (error) {
  if (error instanceof Stopped) {
    if (error.signal) endBy(error.signal)
  } else {
    process.exitCode = 1
    const expected = error instanceof UserError || error instanceof IsothermError
    console.error(expected ? `demo: ${error.message}` : error)
  }
}
