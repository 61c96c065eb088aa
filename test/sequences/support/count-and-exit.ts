import { appendFileSync } from 'node:fs'
import type { TableSequence } from '@isotherm/core/sequences'

/** The task of a counting process. */
export interface Counting {
  readonly name: string
  readonly callers: number
  /** How many numbers each caller takes; if absent, the process counts until it is killed. */
  readonly each?: number
  /** The file to which each number is written at once. */
  readonly file?: string
}

/** Takes numbers for many callers, prints the numbers that are not written to a file, and ends the process. */
export async function countAndExit(
  generator: Pick<TableSequence, 'next' | 'close'>,
  { callers, each, file }: Counting,
): Promise<void> {
  const taken: string[] = []
  await Promise.all(
    Array.from({ length: callers }, async () => {
      for (let turn = 0; turn < (each ?? Infinity); turn++) {
        const number = String(await generator.next())
        // Written before any other work: a buffer would be lost.
        if (file !== undefined) appendFileSync(file, `${number}\n`)
        else taken.push(number)
        await new Promise((resolve) => setImmediate(resolve))
      }
    }),
  )
  await generator.close()
  process.stdout.write(JSON.stringify(taken), () => process.exit(0))
}
