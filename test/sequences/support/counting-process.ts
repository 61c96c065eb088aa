import { Spanner } from '@google-cloud/spanner'
import type { SqlDialect } from '@isotherm/core'
import { asynchronousBatch, batch } from '@isotherm/core/sequences'
import { spanner } from '@isotherm/spanner'
import { sqlDialects } from '../../support/languages.js'
import { countAndExit, type Counting } from './count-and-exit.js'

// Runs in a separate process: takes numbers for many callers, and prints them.

export interface CountingTask extends Counting {
  readonly projectId: string
  readonly instance: string
  readonly database: string
  readonly dialect: SqlDialect['name']
  readonly kind: 'batch' | 'asynchronousBatch'
}

const task = JSON.parse(process.argv[2]!) as CountingTask
const client = new Spanner({ projectId: task.projectId }).instance(task.instance).database(task.database)
const driver = spanner(client, { dialect: sqlDialects[task.dialect] })
const generator =
  task.kind === 'batch'
    ? batch(driver, task.name, { size: 200 })
    : asynchronousBatch(driver, task.name, { ranges: { size: 200, lowWater: 50 } })

await countAndExit(generator, task)
