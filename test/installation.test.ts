import { beforeAll, describe, expect, it } from 'vitest'
import { emptyDatabase, UserProject } from './cli/support/project.js'
import { sampledDialects } from './support/spanner.js'

// The command as it is published: packed, and installed by npm from a lockfile.

describe.each(sampledDialects)('the installed isotherm command for $name', (dialect) => {
  let project: UserProject

  beforeAll(async () => {
    project = await UserProject.create(await emptyDatabase(dialect))
  })

  it('writes a configuration and a first model with isotherm init', async () => {
    expect(await project.run('init', '--yes', '--dialect', dialect.name)).toMatchObject({
      code: 0,
      text: expect.stringContaining('wrote isotherm.config.ts\nwrote src/models/user-access-log.ts\n'),
    })
  })

  it('writes the first migration with isotherm generate', async () => {
    expect(await project.run('generate', 'first')).toEqual({
      code: 0,
      text: '  UserAccessLog: create the table\nwrote migrations/<stamp>_first, 1 statement',
    })
  })

  it('applies the first migration with isotherm migrate, and lists the migration with isotherm status', async () => {
    expect((await project.run('migrate')).text).toMatch(
      /\nUp to date: 1 migration, 1 statement in <duration>\.$/,
    )
    expect(await project.run('status')).toEqual({
      code: 0,
      text: '<database>\napplied <stamp>_first 1/1, <time> in <duration> by <runner>',
    })
  })
})
