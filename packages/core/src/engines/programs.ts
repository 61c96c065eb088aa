import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Whether this is a file that this process may run. */
export function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}

/** Where a program of this name would be, by the PATH, in its order. */
export function onPath(name: string, environment: NodeJS.ProcessEnv): string[] {
  const entries = (environment['PATH'] ?? '').split(delimiter).filter((entry) => entry !== '')
  return entries.map((entry) => join(entry, name))
}
