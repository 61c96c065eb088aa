import { randomUUID } from 'node:crypto'
import type { Schema } from '@isotherm/core'
import type { Migration, ReshardPlan, ReshardStep, Snapshot } from '@isotherm/migrations'
import { dialectNamed } from '../config/engines.js'
import type { EngineEntry } from '../engines.js'
import { startLocal, withSql } from '../project/needs.js'
import type { Output } from '../terminal/output.js'

interface ReshardRequest {
  readonly last: Snapshot
  /** The models: the table with its new key. */
  readonly to: Schema
  readonly table: string
  readonly engines: readonly EngineEntry[]
  /** The name of the new table. */
  readonly into?: string
}

const OTHERWISE = 'Make a new table, write to both, and copy.'

type Options = Parameters<typeof import('@isotherm/migrations').planReshard>[2]

async function optionsOf({ last, table, into, engines }: ReshardRequest): Promise<Options> {
  return {
    dialect: await dialectNamed(last.dialect, engines),
    table,
    ...(into !== undefined && { into: { [table]: into } }),
  }
}

/** Runs the whole plan on an emulator of its own, with made-up rows and an application that writes all the while. */
export async function rehearse(request: ReshardRequest, output: Output, signal: AbortSignal): Promise<void> {
  const { rehearseReshard } = await import('@isotherm/migrations')
  const { last, to, engines } = request
  const { dialect: requestedDialect, ...tree } = await optionsOf(request)
  const dialect = withSql(requestedDialect, 'Resharding', OTHERWISE)
  await using engine = await startLocal(dialect.name, engines, 'A rehearsal', {
    signal,
    fix: 'Leave out --rehearse.',
  })
  const { driver } = await engine.createDatabase({ dialect })
  output.line(`Rehearsing on ${engine.description}`)
  await rehearseReshard(last.schema, to, tree, driver, {
    dialect,
    signal,
    onStep: ({ step, milliseconds, writes, kills }) => {
      const ended = kills > 0 ? `, ended and run again ${kills} times` : ''
      const time = `${(milliseconds / 1000).toFixed(1)} s`
      output.line(`  ${output.style.good('✓')} ${step} (${time}, ${writes} writes meanwhile${ended})`)
    },
  })
}

/** Writes the plan, each step a migration of its own. */
export async function writeReshard(
  request: ReshardRequest,
  folder: string,
): Promise<{ readonly plan: ReshardPlan; readonly written: readonly Migration[] }> {
  const { planReshard, writeMigration } = await import('@isotherm/migrations')
  const { last, to, table } = request
  const options = await optionsOf(request)
  const { dialect } = options
  const plan = planReshard(last.schema, to, options)
  const written: Migration[] = []
  let previous = last.id
  for (const [at, step] of plan.steps.entries()) {
    const snapshot = {
      version: 1,
      dialect: last.dialect,
      id: randomUUID(),
      previous,
      schema: step.schema,
    } as const
    const name = `reshard_${table.replaceAll('.', '_')}_${at + 1}_${step.name}`
    written.push(await writeMigration(folder, { name, dialect, statements: explained(step), snapshot }))
    previous = snapshot.id
  }
  return { plan, written }
}

/** Adds a comment to the first statement that says what the step does, for readers of the file. */
function explained({ description, statements, undoStatements }: ReshardStep): ReshardStep['statements'] {
  const [first, ...rest] = statements
  if (!first) return []
  const back = undoStatements.map(({ sql }) => `Undo: ${sql.replace(/\s+/g, ' ')}`)
  const comment = [description, ...back].map((line) => `-- ${line}\n`).join('')
  return [{ ...first, sql: `${comment}${first.sql}` }, ...rest]
}
