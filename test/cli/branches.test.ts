import { renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { googlesql } from '@isotherm/spanner'
import { beforeAll, describe, expect, it } from 'vitest'
import { emptyDatabase, UserProject } from './support/project.js'

function models(...tables: readonly string[]): string {
  const lines = tables.map(
    (name) => `export const ${name} = defineTable('${name}', (t) => ({ id: t.uuidV4().key() }))`,
  )
  return `import { defineTable } from '@isotherm/core'\n\n${lines.join('\n')}\n`
}

describe('migrations of two merged branches of which the later has run', () => {
  let project: UserProject

  /** A migration of these tables, with a time stamp of its own. */
  async function generate(stamp: string, name: string, ...tables: readonly string[]): Promise<void> {
    project.write('models.ts', models(...tables))
    expect((await project.run('generate', name)).code).toBe(0)
    const written = project.list('migrations').find((each) => each.endsWith(`_${name}`))!
    const folder = join(project.folder, 'migrations')
    renameSync(join(folder, written), join(folder, `${stamp}_${name}`))
  }

  beforeAll(async () => {
    project = await UserProject.create(await emptyDatabase(googlesql))
    project.write('isotherm.config.json', JSON.stringify({ dialect: 'googlesql', schema: 'models.ts' }))
  }, 300_000)

  it('are generated on each branch, and the later migration is applied', async () => {
    await generate('20260101000000', 'base', 'A')
    await generate('20260101000001', 'early', 'A', 'B')
    const early = join(project.folder, 'migrations/20260101000001_early')
    const away = join(project.folder, 'early')
    renameSync(early, away)
    await generate('20260101000002', 'late', 'A', 'C')
    expect((await project.run('migrate')).code).toBe(0)
    renameSync(away, early)
    project.write('models.ts', models('A', 'B', 'C'))
  })

  it('are reported by status, and stop generate, check and migrate', async () => {
    expect(await project.run('status')).toEqual({
      code: 0,
      text: expect.stringMatching(
        /\napplied <stamp>_base .*\npending <stamp>_early 0\/1\napplied <stamp>_late /,
      ),
    })
    for (const command of [['generate'], ['check', '--offline']]) {
      expect(await project.run(...command)).toEqual({
        code: 2,
        text: expect.stringMatching(
          /continue that of <stamp>_early: [^]* come from branches that were merged\.\s*Delete the one that was never applied \(isotherm status shows it\)/,
        ),
      })
    }
    expect(await project.run('migrate')).toEqual({
      code: 1,
      text: expect.stringMatching(
        /^<database>\nerror \S+_early has not run on this database, and \S+_late, /,
      ),
    })
  })

  it('are in order again after the pending migration is generated again', async () => {
    rmSync(join(project.folder, 'migrations/20260101000001_early'), { recursive: true })
    await generate('20260101000003', 'early', 'A', 'B', 'C')
    expect((await project.run('migrate')).code).toBe(0)
    expect((await project.run('check')).code).toBe(0)
  })

  it('an empty custom migration is reported by status and rejected by migrate', async () => {
    await project.run('generate', 'fill', '--custom')
    expect(await project.run('status')).toEqual({
      code: 1,
      text: expect.stringMatching(/\nempty {3}<stamp>_fill 0\/0\n {8}Its migration\.sql is empty\.$/),
    })
    expect((await project.run('migrate')).text).toMatch(/error \S+_fill has no statements\.\n/)
  })
})
