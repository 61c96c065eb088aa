import { cpSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { installedPackages } from './support/installation.js'
import { UserProject } from './support/project.js'

const CORE = 'node_modules/@isotherm/core'

describe('a command that is installed outside of the project', () => {
  let project: UserProject

  beforeAll(async () => {
    project = await UserProject.create()
    const installed = join(await installedPackages(), 'node_modules')
    const own = join(project.folder, 'node_modules')
    rmSync(own)
    mkdirSync(join(own, '@isotherm'), { recursive: true })
    for (const name of readdirSync(installed).filter((each) => each !== '@isotherm'))
      symlinkSync(join(installed, name), join(own, name))
    // The command is a link to where it is, and finds another copy of its peers beside it.
    symlinkSync(join(installed, '@isotherm/cli'), join(own, '@isotherm/cli'))
    for (const name of ['core', 'spanner', 'migrations'])
      cpSync(join(installed, '@isotherm', name), join(own, '@isotherm', name), { recursive: true })
    project.write('isotherm.config.json', JSON.stringify({ dialect: 'googlesql', schema: 'models.ts' }))
    project.write(
      'models.ts',
      `import { defineTable } from '@isotherm/core'\nexport const T = defineTable('T', (t) => ({ id: t.uuidV4().key() }))\n`,
    )
  }, 300_000)

  it('uses the packages in node_modules of the project', async () => {
    expect(await project.run('lint')).toEqual({ code: 0, text: '1 table, nothing found.' })
    project.edit(`${CORE}/index.js`, /, lint,/u, ',')
    const found = `{ rule: 'of-the-project', severity: 'warning', table: 'T', message: 'Found.', fix: 'Leave it.' }`
    const index = project.read(`${CORE}/index.js`)
    project.write(
      `${CORE}/index.js`,
      `${index}\nconst ownLint = () => [${found}]\nexport { ownLint as lint }\n`,
    )
    const { code, text } = await project.run('lint')
    expect(text).toBe('warning T of-the-project\n  Found.\n  Leave it.\n\n1 table, 0 errors, 1 warning.')
    expect(code).toBe(0)
  })

  it('reports that @isotherm/drizzle-adapter is missing for Drizzle tables', async () => {
    project.write(
      'tables.ts',
      `import { pgTable, text } from 'drizzle-orm/pg-core'\nexport const notes = pgTable('notes', { id: text().primaryKey() })\n`,
    )
    expect(await project.run('lint', '--schema', 'tables.ts', '--dialect', 'spanner-postgresql')).toEqual({
      code: 2,
      text:
        'error notes, which tables.ts exports, is of Drizzle, and @isotherm/drizzle-adapter is not installed in <folder>.\n' +
        'Install it: npm install @isotherm/drizzle-adapter',
    })
  })

  it('reports that @isotherm/core is missing', async () => {
    rmSync(join(project.folder, CORE), { recursive: true })
    expect(await project.run('lint')).toEqual({
      code: 2,
      text: 'error The package @isotherm/core is not installed here.\nInstall it: npm install @isotherm/core',
    })
  })
})
