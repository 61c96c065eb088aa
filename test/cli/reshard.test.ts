import { beforeAll, describe, expect, it } from 'vitest'
import { dialects } from '../support/spanner.js'
import { emptyDatabase, UserProject } from './support/project.js'

const MODEL = 'src/models/user-access-log.ts'
const STEPS = ['create', 'begin', 'copy', 'verify', 'switch', 'finish', 'drop']

describe.each(dialects)('a reshard to another number of shards in $name', (dialect) => {
  let project: UserProject
  const named = (step: string): string =>
    project.list('migrations').find((name) => name.endsWith(`_${step}`))!

  beforeAll(async () => {
    project = await UserProject.create(await emptyDatabase(dialect))
    await project.run('init', '--yes', '--dialect', dialect.name)
    await project.run('generate', 'first')
    await project.run('migrate')
    project.edit(MODEL, 'shards: 64', 'shards: 32')
  }, 300_000)

  it('is rehearsed and written as one migration for each step', async () => {
    const { code, text } = await project.run('generate', '--reshard', 'UserAccessLog', '--rehearse')
    expect(text).toContain('Rehearsing on Cloud Spanner emulator')
    for (const step of STEPS) expect(text).toMatch(new RegExp(`✓ ${step} \\(.* writes meanwhile`))
    expect(text).toContain('wrote migrations/<stamp>_reshard_UserAccessLog_7_drop')
    expect(code).toBe(0)
    expect(
      project
        .list('migrations')
        .slice(1)
        .map((name) => name.slice(15)),
    ).toEqual(STEPS.map((step, at) => `reshard_UserAccessLog_${at + 1}_${step}`))
    expect(project.read(`migrations/${named('switch')}/migration.sql`)).toBe(
      '-- isotherm: reshard\n' +
        '-- Lets the application read UserAccessLog_r32. Both are still written, so you can still go back.\n' +
        '-- Undo: RETURN UserAccessLog TO UserAccessLog_r32\n' +
        'SWITCH UserAccessLog TO UserAccessLog_r32;\n',
    )
  })

  it('stops before each step until migrate --to names the step', async () => {
    const { code, text } = await project.run('migrate')
    expect(text).toContain('Stopped before')
    expect(code).toBe(0)
    expect(text).toMatch(/Stopped before <stamp>_reshard_UserAccessLog_2_begin, a step of a reshard/)
    for (const step of STEPS.slice(1)) {
      const run = await project.run('migrate', '--to', named(step), '--propagation-wait', '0s')
      expect(run).toMatchObject({ code: 0 })
    }
    expect((await project.run('migrate')).text).toContain('Up to date')
  })

  it('leaves a database that matches the model under its new name', async () => {
    project.edit(MODEL, "'UserAccessLog'", "'UserAccessLog_r32'")
    expect(await project.run('check')).toMatchObject({ code: 0 })
  })

  it('requires --reshard for --rehearse, and the name of an existing table', async () => {
    expect(await project.run('generate', '--rehearse')).toMatchObject({
      code: 2,
      text: expect.stringContaining('--rehearse needs --reshard'),
    })
    expect(await project.run('generate', '--reshard', 'Nothing')).toMatchObject({
      text: expect.stringContaining('Nothing'),
    })
  })
})
