import { beforeAll, describe, expect, it } from 'vitest'
import { emptyDatabase, UserProject } from './cli/support/project.js'
import { dialects } from './support/spanner.js'

// The command as it is published: packed, and installed by npm from a lockfile.

describe.each(dialects)('an installed command, for $name', (dialect) => {
  let project: UserProject

  beforeAll(async () => {
    project = await UserProject.create(await emptyDatabase(dialect))
  })

  it('begins a project', async () => {
    expect(await project.run('init', '--yes', '--dialect', dialect.name)).toMatchObject({
      code: 0,
      text: expect.stringContaining('wrote isotherm.config.ts\nwrote src/models/user-access-log.ts\n'),
    })
  })

  it('generates its first migration', async () => {
    expect(await project.run('generate', 'first')).toEqual({
      code: 0,
      text: '  UserAccessLog: create the table\nwrote migrations/<stamp>_first, 1 statement',
    })
  })

  it('runs it', async () => {
    expect((await project.run('migrate')).text).toMatch(
      /\nUp to date: 1 migration, 1 statement in <duration>\.$/,
    )
    expect(await project.run('status')).toEqual({
      code: 0,
      text: '<database>\napplied <stamp>_first 1/1, <time> in <duration> by <runner>',
    })
  })
})
