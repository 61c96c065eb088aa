import { beforeAll, expect, it } from 'vitest'
import { installedPackages } from './support/installation.js'
import { UserProject } from './support/project.js'

// Projects in which the command has to find models, and the options of their compiler, as the application's own tools do.

const CONFIG = (schema: string): string =>
  `import { defineConfig } from '@isotherm/cli'\nexport default defineConfig({ dialect: 'googlesql', schema: String.raw\`${schema}\` })\n`

beforeAll(async () => {
  await installedPackages()
}, 600_000)

async function projectOf(files: Readonly<Record<string, string | object>>): Promise<UserProject> {
  const project = await UserProject.create()
  for (const [path, content] of Object.entries(files))
    project.write(path, typeof content === 'string' ? content : JSON.stringify(content))
  return project
}

/** The statements of the only migration. */
function migrationOf(project: UserProject): string {
  const names = project.list('migrations').filter((name) => /^\d{14}_/.test(name))
  expect(names).toHaveLength(1)
  return project.read(`migrations/${names[0]}/migration.sql`)
}

it('the command follows the references of tsconfig.json to the options and paths of each project', async () => {
  const compilerOptions = { target: 'es2022', module: 'nodenext', composite: true }
  const project = await projectOf({
    'package.json': { name: 'shop', private: true, type: 'module' },
    'tsconfig.json': { files: [], references: [{ path: './app' }, { path: './models' }] },
    'app/tsconfig.json': {
      include: ['src'],
      references: [{ path: '../models' }],
      compilerOptions: {
        ...compilerOptions,
        experimentalDecorators: true,
        emitDecoratorMetadata: true,
        paths: { '@models/*': ['../models/src/*'] },
      },
    },
    'models/tsconfig.json': { include: ['src'], compilerOptions },
    'models/src/recorded.ts':
      "import { Column } from '@isotherm/core'\n" +
      'export abstract class Recorded {\n  @Column.timestamp() recorded!: Date\n}\n',
    'app/src/color.ts': "export enum Color {\n  Red = 'red',\n}\n",
    'app/src/models/order.ts':
      "import 'reflect-metadata'\nimport { Color } from '../color.js'\nimport { Column, Key, Table } from '@isotherm/core'\nimport { Recorded } from '@models/recorded.js'\n" +
      // Without a type: the compiler writes it, if it is that of the application.
      "@Table('Order')\nexport class Order extends Recorded {\n  @Key() @Column.int64() orderId!: bigint\n  @Column() name!: string\n  @Column() color!: Color\n}\n",
    'isotherm.config.ts': CONFIG('app/src/models/*.ts'),
  })
  expect(await project.run('generate', 'first')).toMatchObject({ code: 0 })
  expect(migrationOf(project)).toMatch(
    /`recorded` TIMESTAMP NOT NULL,\n.*`orderId` INT64[^]*`name` STRING\(MAX\)[^]*`color` STRING\(MAX\)/,
  )
}, 300_000)

it('the command accepts a pattern of models with backslashes', async () => {
  const project = await projectOf({
    'package.json': { name: 'shop', private: true, type: 'module' },
    'tsconfig.json': { compilerOptions: { target: 'es2022', module: 'nodenext' } },
    'src/models/order.ts':
      "import { Column, Key, Table } from '@isotherm/core'\n@Table('Order')\nexport class Order {\n  @Key() @Column.int64() orderId!: bigint\n}\n",
    'isotherm.config.ts': CONFIG('src\\models\\*.ts'),
  })
  expect(await project.run('generate', 'first')).toMatchObject({ code: 0 })
  expect(migrationOf(project)).toContain('CREATE TABLE `Order`')
}, 300_000)

it('the command loads Drizzle tables in a CommonJS project', async () => {
  const project = await projectOf({
    'package.json': { name: 'shop', private: true },
    'tsconfig.json': { compilerOptions: { target: 'es2022', module: 'nodenext' } },
    'src/db/lengths.ts': 'export = { page: 41 }\n',
    'src/db/schema.ts':
      "import lengths = require('./lengths')\n" +
      "import { descTimestamp, int64, shardKey, spannerTable, string } from '@isotherm/drizzle-adapter'\n" +
      "export const logs = spannerTable('UserAccessLog', {\n" +
      "  shardId: shardKey({ shards: 64, of: ['userId'] }),\n" +
      "  lastAccess: descTimestamp({ default: 'now' }),\n" +
      '  userId: int64().primaryKey(),\n  page: string({ length: lengths.page }),\n})\n' +
      'export const folder = __dirname\n',
    'isotherm.config.ts': CONFIG('src/db/schema.ts'),
  })
  expect(await project.run('generate', 'first')).toMatchObject({ code: 0 })
  expect(migrationOf(project)).toMatch(/CREATE TABLE `UserAccessLog` \([^]*`page` STRING\(41\)/)
}, 300_000)

it.each(['module', 'commonjs'])(
  'the command names the entry of package.json that maps an import to a build which does not exist: %s',
  async (type) => {
    const project = await projectOf({
      'package.json': { name: 'shop', private: true, type, imports: { '#models/*': './dist/models/*.js' } },
      'tsconfig.json': { compilerOptions: { target: 'es2022', module: 'nodenext' } },
      'src/models/order.ts':
        "import { defineTable } from '@isotherm/core'\n" +
        "export const Order = defineTable('Order', (t) => ({ id: t.uuidV4() }))\n",
      'src/schema.ts': "export { Order } from '#models/order'\n",
      'isotherm.config.ts': CONFIG('src/schema.ts'),
    })
    const { text } = await project.run('lint')
    expect(text.replaceAll(/\s+/g, ' ')).toContain(
      'By imports of <folder>/package.json, #models/order is dist/models/order.js, which does not exist. ' +
        'Map "#models/*" to the sources in paths of tsconfig.json, or build first.',
    )
    project.edit('tsconfig.json', /"module"/, '"paths": { "#models/*": ["./src/models/*"] }, "module"')
    expect(await project.run('lint')).toMatchObject({ code: 0 })
  },
  300_000,
)
