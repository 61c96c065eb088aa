import { appendFileSync } from 'node:fs'
import { Spanner } from '@google-cloud/spanner'
import type { SqlDialect } from '@isotherm/core'
import { asynchronousBatch, batch } from '@isotherm/core/sequences'
import { spanner } from '@isotherm/core/spanner'

// Runs in a process of its own: takes numbers for many callers, and prints them.

export interface CountingTask {
  readonly projectId: string
  readonly instance: string
  readonly database: string
  readonly dialect: SqlDialect
  readonly kind: 'batch' | 'asynchronousBatch'
  readonly name: string
  readonly callers: number
  /** How many numbers each caller takes; without, it goes on until it is killed. */
  readonly each?: number
  /** Where each number is written down at once. */
  readonly file?: string
}

const task = JSON.parse(process.argv[2]!) as CountingTask
const client = new Spanner({ projectId: task.projectId }).instance(task.instance).database(task.database)
const driver = spanner(client, { dialect: task.dialect })
const generator =
  task.kind === 'batch'
    ? batch(driver, task.name, { size: 200 })
    : asynchronousBatch(driver, task.name, { ranges: { size: 200, lowWater: 50 } })

const { each, file } = task
const taken: string[] = []
await Promise.all(
  Array.from({ length: task.callers }, async () => {
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
