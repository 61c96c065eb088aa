import type { LogSource } from '../src/log/log-source.js'

/** Everything that a log holds, which is closed then. */
export async function linesOf(log: LogSource): Promise<string[]> {
  const lines: string[] = []
  try {
    for await (const line of log.lines) lines.push(line)
  } finally {
    await log.close()
  }
  return lines
}
