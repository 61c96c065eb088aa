import { Spanner } from '@google-cloud/spanner'
import { openDatabase, type QueryPartition, type SqlDialect } from '@isotherm/core'
import { spanner } from '@isotherm/spanner'
import { sqlDialects } from '../../support/languages.js'
import { visits } from './visits.js'

// Runs in a separate process: reads the query partition of its first argument, and prints the ids of its rows.

interface Task {
  readonly projectId: string
  readonly instance: string
  readonly database: string
  readonly dialect: SqlDialect['name']
  readonly part: QueryPartition
}

const { projectId, instance, database, dialect, part } = JSON.parse(process.argv[2]!) as Task
const client = new Spanner({ projectId }).instance(instance).database(database)
const db = openDatabase({ driver: spanner(client, { dialect: sqlDialects[dialect] }), schema: visits })
const ids: unknown[] = []
for await (const row of db.readQueryPartition('Visit', part)) ids.push(row['id'])
process.stdout.write(JSON.stringify({ pid: process.pid, ids }), () => process.exit(0))
