import { spannerPostgresql } from '@isotherm/spanner'
import { beforeAll, describe, expect, it } from 'vitest'
import { emptyDatabase, UserProject } from './support/project.js'
import { keys } from './support/terminal.js'

const MODEL = 'src/models/visit.ts'

/** Types come from TypeScript, a column from a base class in another folder, found through `paths`. */
const VISIT = `import 'reflect-metadata'
import { Column, Table } from '@isotherm/core'
import { Sharded } from '@base/sharded'
import { longest } from '../limits.js'

@Table('Visit')
export class Visit extends Sharded {
  @Column() seen!: boolean
  @Column.string({ length: longest, nullable: true }) note!: string | null
}
`
const SHARDED = `import { Column, Key, ShardKey, type Generated } from '@isotherm/core'

export abstract class Sharded {
  @ShardKey({ shards: 8, of: ['id'] }) shard!: Generated<bigint>
  @Key() @Column() id!: bigint
}
`

describe('a project of legacy decorators in the PostgreSQL dialect', () => {
  let project: UserProject

  beforeAll(async () => {
    project = await UserProject.create(await emptyDatabase(spannerPostgresql))
    const compilerOptions = {
      target: 'es2022',
      experimentalDecorators: true,
      emitDecoratorMetadata: true,
      paths: { '@base/*': ['./src/base/*'] },
    }
    project.write('tsconfig.json', JSON.stringify({ compilerOptions }))
    project.write(
      'isotherm.config.json',
      JSON.stringify({ dialect: 'spanner-postgresql', historyTable: 'applied_here', out: 'db/changes' }),
    )
    project.write('src/base/sharded.ts', SHARDED)
    project.write('src/limits.ts', 'export const longest: number = 40')
    project.write(MODEL, VISIT)
  }, 300_000)

  it('is migrated, with column types from TypeScript and columns from a base class', async () => {
    expect(await project.run('generate', 'first', '--json')).toMatchObject({ code: 0 })
    const [name] = project.list('db/changes')
    expect(project.read(`db/changes/${name}/migration.sql`)).toMatch(
      /^CREATE TABLE "Visit" \(\n[^]*"seen" boolean NOT NULL,\n[^]*"note" varchar\(40\)/,
    )
    const { code, text } = await project.run('migrate')
    expect(text).toMatch(/Up to date: 1 migration, 1 statement in <duration>\.$/)
    expect(code).toBe(0)
  })

  it('renames a column after a question, and check finds no difference', async () => {
    project.edit(MODEL, 'note!', 'remark!')
    const session = project.start('generate')
    await session.shows('Is the column Visit.remark new')
    session.type(keys.enter)
    expect(await session.exit()).toBe(0)
    expect((await project.run('migrate')).code).toBe(0)
    expect(await project.run('check')).toEqual({
      code: 0,
      text: 'agree models and migrations\nagree migrations and history\nagree database and history',
    })
  })

  it('is pulled in the style tables as models that generate finds unchanged', async () => {
    const { code, text } = await project.run('pull', '--style', 'tables', '--out', 'pulled')
    expect(code).toBe(0)
    expect(text).toBe('<database>\nwrote pulled/visit.ts\nwrote pulled/index.ts\n1 table.')
    expect(project.read('pulled/visit.ts')).toContain("defineTable('Visit'")
    expect(await project.run('generate', '--schema', 'pulled/index.ts')).toEqual({
      code: 0,
      text: 'No changes: the models match the last migration.',
    })
  })

  it('gets a baseline migration from an existing database, and reports a missing configuration file', async () => {
    for (const [name, value] of Object.entries(await emptyDatabase(spannerPostgresql)))
      project.set(name, value)
    expect((await project.run('push')).text).toMatch(/\n {2}Visit: create the table\n[^]*\n1 statement\.$/)
    project.set('ISOTHERM_CONFIG', 'other.json')
    const missing = await project.run('pull', '--baseline', '--out', 'adopted')
    expect(missing.code).toBe(2)
    expect(missing.text).toContain('There is no configuration other.json in <folder>.')
    project.write('other.json', JSON.stringify({ dialect: 'spanner-postgresql', out: 'other' }))
    expect((await project.run('pull', '--baseline', '--out', 'adopted')).text).toMatch(
      /\nwrote other\/<stamp>_baseline, recorded as applied\n1 table\.$/,
    )
    const checked = await project.run('check', '--schema', 'adopted/index.ts')
    expect(checked.text).toBe(
      'agree models and migrations\nagree migrations and history\nagree database and history',
    )
  })
})
