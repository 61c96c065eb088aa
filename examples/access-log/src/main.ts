import { IsothermError } from '@isotherm/core'
import { Presets, SingleBar } from 'cli-progress'
import { type Wish, commandOf, ownArguments } from './command.js'
import { runDemo } from './demo.js'
import { startEngine } from './engine.js'
import { type LogSource, generatedLog, openLog } from './log/log-source.js'
import { UserError } from './log/user-error.js'
import { shown } from './print.js'
import { Stopped, endBy, listenForStop, rejectedOn } from './stop.js'

async function main(wish: Wish): Promise<void> {
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

async function logFor({ file, lines }: Wish): Promise<LogSource> {
  if (file === undefined) return generatedLog(lines)
  const folder = process.cwd()
  // pnpm runs a script in its package's folder, and tells where the user stood.
  return openLog(file, [process.env['INIT_CWD'] ?? folder, folder])
}

async function demoOf(log: LogSource, wish: Wish, signal: AbortSignal): Promise<void> {
  const out = process.stdout
  console.log(`Log     ${shown(log.description, 200)}`)
  const engine = await startEngine(wish, signal)
  // In a file or a CI's log, a line now and then takes the place of a bar that is drawn over itself.
  const progress = new SingleBar(
    {
      format: '  {bar} {percentage} %, {rows} rows',
      barsize: 40,
      noTTYOutput: true,
      // The demo ends on a signal by itself, and cleans up more than a bar.
      gracefulExit: false,
    },
    Presets.shades_classic,
  )
  try {
    console.log(
      [`Engine  ${engine.description}`, ...engine.notes.map((note) => `        ${note}`)].join('\n'),
    )
    // Not every call heeds the signal; the engine is stopped under those that do not.
    await Promise.race([runDemo({ engine, log, out, progress, signal }), rejectedOn(signal)])
  } finally {
    progress.stop()
    await engine.stop()
  }
}

try {
  await commandOf(main).parseAsync(ownArguments(process.argv.slice(2)), { from: 'user' })
} catch (error) {
  if (error instanceof Stopped) {
    if (error.signal) endBy(error.signal)
  } else {
    process.exitCode = 1
    const expected = error instanceof UserError || error instanceof IsothermError
    console.error(expected ? `demo: ${error.message}` : error)
  }
}
