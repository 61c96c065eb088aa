import { appendFileSync } from 'node:fs'
import type { TableSequence } from '@isotherm/core/sequences'

/** What a process of its own is to count, and for whom. */
export interface Counting {
  readonly name: string
  readonly callers: number
  /** How many numbers each caller takes; without, it goes on until it is killed. */
  readonly each?: number
  /** Where each number is written down at once. */
  readonly file?: string
}

/** Takes numbers for many callers, prints those that are not written down, and ends the process. */
export async function countAndExit(
  generator: Pick<TableSequence, 'next' | 'close'>,
  { callers, each, file }: Counting,
): Promise<void> {
  const taken: string[] = []
  await Promise.all(
    Array.from({ length: callers }, async () => {
      for (let turn = 0; turn < (each ?? Infinity); turn++) {
        const number = String(await generator.next())
        // Before anything else is done: what is in a buffer would be lost.
        if (file !== undefined) appendFileSync(file, `${number}\n`)
        else taken.push(number)
        await new Promise((resolve) => setImmediate(resolve))
      }
    }),
  )
  await generator.close()
  process.stdout.write(JSON.stringify(taken), () => process.exit(0))
}
