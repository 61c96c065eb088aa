import type { LogSource } from '../src/log/log-source.js'

/** Reads all lines of a log, and closes the log. */
export async function linesOf(log: LogSource): Promise<string[]> {
  const lines: string[] = []
  try {
    for await (const line of log.lines) lines.push(line)
  } finally {
    await log.close()
  }
  return lines
}
