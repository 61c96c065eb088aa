import { open, type FileHandle } from 'node:fs/promises'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { formatLine } from './format-line.js'
import { generateRequests } from './generate.js'
import { UserError } from './user-error.js'

/** Where lines come from. They are read once, as they are asked for, and never held all together. */
export interface LogSource {
  /** For people: which file, or that the lines are generated. */
  readonly description: string
  readonly lines: AsyncIterable<string>
  /** Where `position` will end; undefined where it is unknown, as for a pipe. */
  readonly total: number | undefined
  /** How far the lines have been read, in the unit of `total`. */
  position(): number
  close(): Promise<void>
}

export function generatedLog(count: number): LogSource {
  let position = 0
  async function* lines(): AsyncGenerator<string> {
    for (const request of generateRequests(count)) {
      position++
      yield formatLine(request)
    }
  }
  return {
    description: `${count.toLocaleString('en')} generated lines in the form of an access log: no real traffic, give a FILE for that`,
    lines: lines(),
    total: count,
    position: () => position,
    close: async () => {},
  }
}

/**
 * Opens a log file.
 *
 * @param folders what a relative path may be relative to: the first folder that has the file is taken
 * @throws {UserError} for a file that is not there or cannot be read.
 */
export async function openLog(file: string, folders: readonly string[]): Promise<LogSource> {
  const handle = await openFirst(file, [...new Set(folders.map((folder) => resolve(folder, file)))])
  const stat = await handle.stat()
  if (stat.isDirectory()) {
    await handle.close()
    throw new UserError(`Cannot read ${file}: it is a directory.`)
  }
  const stream = handle.createReadStream()
  async function* lines(): AsyncGenerator<string> {
    // Made only when the first line is asked for: it would not wait for a later listener.
    yield* createInterface({ input: stream, crlfDelay: Infinity })
  }
  return {
    description: file,
    lines: lines(),
    total: stat.isFile() && stat.size > 0 ? stat.size : undefined,
    position: () => stream.bytesRead,
    close: async () => {
      stream.destroy()
      await handle.close()
    },
  }
}

async function openFirst(file: string, paths: readonly string[]): Promise<FileHandle> {
  for (const path of paths) {
    try {
      return await open(path)
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined
      if (code === 'ENOENT') continue
      throw new UserError(`Cannot read ${file}: ${reasons.get(String(code)) ?? String(error)}.`, {
        cause: error,
      })
    }
  }
  throw new UserError(`Cannot read ${file}: there is no ${paths.join(' and no ')}.`)
}

const reasons: ReadonlyMap<string, string> = new Map([
  ['EACCES', 'permission denied'],
  ['EPERM', 'permission denied'],
  ['ENOTDIR', 'a part of its path is not a directory'],
  ['ENAMETOOLONG', 'its name is too long'],
  ['ELOOP', 'its links lead in a circle'],
])
