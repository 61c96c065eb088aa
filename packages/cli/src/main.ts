import { run } from './run.js'

/** Runs the command that the process was called with, and ends the process. */
export async function main(): Promise<never> {
  const exitCode = await run(process.argv.slice(2))
  // A project's modules may keep timers or connections, which would keep the process. Output has to be flushed before.
  for (const stream of [process.stdout, process.stderr]) {
    await new Promise<void>((resolve) => {
      stream.write('', () => resolve())
    })
  }
  process.exit(exitCode)
}
