import { randomUUID } from 'node:crypto'
import {
  linkSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { IsothermError } from '@isotherm/core/engine'

/** A folder that this process has open, until it is released. */
export interface LockedFolder {
  /** Its real path, however it was named. */
  readonly path: string
  /** Tells other processes the URL under which this one lets them use the data. */
  announce(url: string): void
  release(): void
}

/** The real paths of the folders that this process has open. */
const held = new Set<string>()

/**
 * Keeps other processes out of a folder while this one has it open: two PGlites that write the same files destroy them. The process and
 * its host are in a file beside the folder, which PostgreSQL wants to be empty at first.
 *
 * @throws {IsothermError} `ENGINE_UNAVAILABLE` naming the process that has it, or for a folder with other files.
 */
export function lockFolder(folder: string): LockedFolder {
  mkdirSync(folder, { recursive: true })
  const path = realpathSync(folder)
  refuseOtherFiles(path)
  const file = `${path}.lock`
  const own = `${process.pid} ${hostname()}`
  const unfinished = `${file}.${randomUUID()}`
  writeFileSync(unfinished, own)
  try {
    while (!linked(unfinished, file)) takeOver(path, file)
  } finally {
    rmSync(unfinished, { force: true })
  }
  held.add(path)
  let isReleased = false
  const release = (): void => {
    // The next one to have the folder may be of this process too.
    if (isReleased) return
    isReleased = true
    process.off('exit', release)
    held.delete(path)
    rmSync(file, { force: true })
  }
  process.once('exit', release)
  const announce = (url: string): void => {
    writeFileSync(unfinished, `${own} ${url}`)
    renameSync(unfinished, file)
  }
  return { path, announce, release }
}

/** PostgreSQL would put its files among them. */
function refuseOtherFiles(path: string): void {
  const files = readdirSync(path)
  if (files.length === 0 || files.includes('PG_VERSION')) return
  throw new IsothermError(
    'ENGINE_UNAVAILABLE',
    `The folder ${path} has files that do not belong to PGlite.`,
    {
      fix: 'Use an empty or new folder: .isotherm/pglite.',
    },
  )
}

/** Whether the lock is ours now: as a whole, and only where there is none. */
function linked(unfinished: string, file: string): boolean {
  try {
    linkSync(unfinished, file)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** Takes a lock away whose process has ended without releasing it. */
function takeOver(path: string, file: string): void {
  const found = read(file)
  if (found === undefined) return
  const [pid = '', host = '', url] = found.split(' ')
  if (isOpen(path, Number(pid), host)) throw inUse({ path, file, pid: Number(pid), host, url })
  const taken = `${file}.${randomUUID()}`
  try {
    renameSync(file, taken)
  } catch {
    // Another process was faster.
    return
  }
  // A lock that was made in between goes back.
  if (read(taken) !== found) linked(taken, file)
  rmSync(taken, { force: true })
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

function isOpen(path: string, pid: number, host: string): boolean {
  // Of another host, as of another container, nothing can be found out.
  if (host !== hostname()) return true
  // A number is given again, in a container mostly the same one.
  if (pid === process.pid) return held.has(path)
  try {
    // Asks, and sends nothing.
    return pid > 0 && process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

interface InUse {
  readonly path: string
  readonly file: string
  readonly pid: number
  readonly host: string
  /** Where that process serves the data. */
  readonly url: string | undefined
}

function inUse({ path, file, pid, host, url }: InUse): IsothermError {
  const where = host === hostname() ? '' : ` on ${host}`
  const by = pid === process.pid && where === '' ? 'this process' : `the process ${pid}${where}`
  return new IsothermError(
    'ENGINE_UNAVAILABLE',
    `The folder ${path} is open in ${by}, and only one process at a time can use a folder of PGlite.`,
    {
      fix: `${url === undefined ? 'End that process' : `Give its URL instead of the folder: ${url}. Or end that process`}, or give another folder. If nothing has it open, delete ${file}.`,
    },
  )
}
