import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { IsothermError } from '@isotherm/core/engine'

/**
 * Keeps other processes out of a folder while this one has it open: two PGlites that write the same files destroy them. The number of
 * the process is in a file beside the folder, which PostgreSQL wants to be empty at first.
 *
 * @returns gives the folder free
 * @throws {IsothermError} `ENGINE_UNAVAILABLE` naming the process that has it.
 */
export function lockFolder(folder: string): () => void {
  const file = `${folder}.lock`
  mkdirSync(dirname(file), { recursive: true })
  for (let tries = 1; ; tries++) {
    try {
      writeFileSync(file, String(process.pid), { flag: 'wx' })
      break
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      const holder = Number(holderOf(file))
      if (tries > 1 || isRunning(holder)) throw inUse(folder, file, holder)
      // Its process has ended without giving it free.
      rmSync(file, { force: true })
    }
  }
  const free = (): void => {
    process.off('exit', free)
    rmSync(file, { force: true })
  }
  process.once('exit', free)
  return free
}

function holderOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

function isRunning(holder: number): boolean {
  try {
    // Asks, and sends nothing.
    return holder > 0 && process.kill(holder, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function inUse(folder: string, file: string, holder: number): IsothermError {
  const by = holder === process.pid ? 'this process' : `the process ${holder}`
  return new IsothermError(
    'ENGINE_UNAVAILABLE',
    `The folder ${folder} is open in ${by}, and PGlite has one process at a time.`,
    {
      fix: `End that process, or give another folder. If nothing has it open, delete ${file}.`,
    },
  )
}
