import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, it } from 'vitest'
import { type TypeScript, installedCompilers } from '../packages/support/compilers.js'
import { installedPackages } from './support/installation.js'
import { UserProject } from './support/project.js'

// The command loads models as the project's own compiler and Node do: each project is compiled, and its application prints the
// DDL that the migration has to have.

const call = promisify(execFile)

interface Row {
  readonly compiler: TypeScript
  readonly type?: 'module'
  readonly options: Readonly<Record<string, unknown>>
  /** What the models import and compute, before the lengths of their columns. */
  readonly imports: string
  readonly lengths: readonly string[]
  readonly expected: readonly string[]
  readonly files?: Readonly<Record<string, string>>
  readonly ending?: 'cts' | 'mts'
}

const NODE = { module: 'nodenext' }
const COMMONJS = { module: 'commonjs', moduleResolution: 'node10', esModuleInterop: true }

const ROWS: Readonly<Record<string, Row>> = {
  'CommonJS for Node, with a default import of a compiled package': {
    compiler: '5.9',
    options: NODE,
    imports: "import limits from 'limits'\nimport * as all from 'limits'",
    lengths: ['limits.max', 'all.default.max'],
    expected: ['41', '41'],
  },
  'CommonJS of TypeScript 7': {
    compiler: '7.0',
    options: NODE,
    imports: "import limits from 'limits'\nimport plain from 'plain'",
    lengths: ['limits.max', 'plain.max'],
    expected: ['41', '42'],
  },
  'CommonJS with esModuleInterop': {
    compiler: '5.4',
    options: COMMONJS,
    imports: "import limits from 'limits'\nimport plain from 'plain'",
    lengths: ['limits.max', 'plain.max'],
    expected: ['41', '42'],
  },
  'CommonJS without esModuleInterop, which calls a namespace': {
    compiler: '5.4',
    options: { ...COMMONJS, esModuleInterop: false },
    imports: "import limits from 'limits'\nimport * as double from 'double'",
    lengths: ['limits.max', 'double(8)'],
    expected: ['41', '16'],
  },
  'CommonJS with what only it has': {
    compiler: '5.9',
    options: { ...NODE, resolveJsonModule: true, types: ['node'] },
    imports: [
      "import { basename, join } from 'node:path'",
      "import { readFileSync } from 'node:fs'",
      "import data from '../data.json'",
      "import double = require('double')",
      "import half = require('../half.cjs')",
      "import { deep } from '../all.js'",
      "const read = JSON.parse(readFileSync(join(__dirname, '../data.json'), 'utf8')) as { max: number }",
    ].join('\n'),
    lengths: [
      'data.max',
      'double(4)',
      'half(8)',
      'deep',
      'read.max',
      "basename(__filename).startsWith('note.') ? 5 : 6",
      'module.exports === exports ? 7 : 8',
      "(require('limits') as { default: { max: number } }).default.max",
    ],
    expected: ['12', '8', '4', '6', '12', '5', '7', '41'],
    files: {
      'src/data.json': '{ "max": 12 }',
      'src/half.cts': 'const half = (n: number): number => n / 2\nexport = half\n',
      'src/all.ts': "export * from './deep.js'\n",
      'src/deep.ts': 'export const deep: number = 6\n',
    },
  },
  'CommonJS that requires an ES module': {
    compiler: '5.9',
    options: { ...NODE, types: ['node'] },
    imports: "import { own, whole } from '../own.mjs'",
    lengths: ['own', 'whole'],
    expected: ['9', '41'],
    files: {
      'src/own.mts':
        "import limits from 'limits'\nimport { deep } from './all.js'\nexport const own = deep + 3\n" +
        'export const whole = (limits as unknown as { default: { max: number } }).default.max\n',
      'src/all.ts': "export * from './deep.js'\n",
      'src/deep.ts': 'export const deep: number = 6\n',
    },
  },
  'an ES module, which has the whole of a compiled package': {
    compiler: '5.9',
    type: 'module',
    options: { ...NODE, resolveJsonModule: true, types: ['node'] },
    imports:
      "import limits from 'limits'\nimport data from '../data.json' with { type: 'json' }\nimport double = require('double')\n" +
      "import { half } from '../half.cjs'\nimport.meta.url satisfies string",
    lengths: ['limits.default.max', 'data.max', 'double(4)', 'half(8)'],
    expected: ['41', '12', '8', '4'],
    files: {
      'src/data.json': '{ "max": 12 }',
      'src/half.cts': 'export const half = (n: number): number => n / 2\n',
    },
  },
  'an ES module in a package of CommonJS': {
    compiler: '5.9',
    options: { ...NODE, types: ['node'] },
    ending: 'mts',
    imports: "import limits from 'limits'\nconst here = await Promise.resolve(import.meta.url)",
    lengths: ['limits.default.max', "here.endsWith('js') || here.endsWith('ts') ? 3 : 4"],
    expected: ['41', '3'],
  },
  'CommonJS in a package of ES modules': {
    compiler: '5.9',
    type: 'module',
    options: { ...NODE, types: ['node'] },
    ending: 'cts',
    imports: "import limits from 'limits'\nconst here = __filename",
    lengths: ['limits.max', 'here.length > 3 ? 3 : 4'],
    expected: ['41', '3'],
  },
  'CommonJS with legacy decorators and their types': {
    compiler: '5.9',
    options: { ...NODE, experimentalDecorators: true, emitDecoratorMetadata: true },
    imports: "import limits from 'limits'",
    lengths: ['limits.max'],
    expected: ['41'],
  },
}

const PACKAGES = {
  limits: [
    'Object.defineProperty(exports, "__esModule", { value: true })\nexports.default = { max: 41 }\n',
    'declare const limits: { max: number }\nexport default limits\n',
  ],
  plain: ['module.exports = { max: 42 }\n', 'declare const plain: { max: number }\nexport = plain\n'],
  double: [
    'module.exports = (n) => n * 2\n',
    'declare function double(n: number): number\ndeclare namespace double {}\nexport = double\n',
  ],
} as const

let compilerOf: (version: TypeScript) => string

beforeAll(async () => {
  compilerOf = await installedCompilers()
  await installedPackages()
}, 600_000)

async function projectOf({
  compiler,
  type,
  options,
  imports,
  lengths,
  files,
  ending,
}: Row): Promise<UserProject> {
  const project = await UserProject.create()
  const installed = join(await installedPackages(), 'node_modules')
  const own = join(project.folder, 'node_modules')
  rmSync(own)
  mkdirSync(own)
  for (const name of readdirSync(installed)) symlinkSync(join(installed, name), join(own, name))
  rmSync(join(own, 'typescript'), { force: true })
  // Its version decides about defaults.
  symlinkSync(join(compilerOf(compiler), '../..'), join(own, 'typescript'))
  for (const [name, [code, types]] of Object.entries(PACKAGES)) {
    project.write(
      `node_modules/${name}/package.json`,
      JSON.stringify({ name, version: '1.0.0', types: 'index.d.ts' }),
    )
    project.write(`node_modules/${name}/index.js`, code)
    project.write(`node_modules/${name}/index.d.ts`, types)
  }
  const source = ending ?? 'ts'
  project.write('package.json', JSON.stringify({ name: 'shop', version: '1.0.0', type }))
  const compilerOptions = {
    target: 'es2022',
    strict: true,
    skipLibCheck: true,
    rootDir: 'src',
    outDir: 'dist',
    types: [],
    ...options,
  }
  project.write('tsconfig.json', JSON.stringify({ compilerOptions, include: ['src'] }))
  project.write(
    'isotherm.config.ts',
    "import { defineConfig } from '@isotherm/cli'\nexport default defineConfig({ dialect: 'googlesql', schema: 'src/models/*' })\n",
  )
  const columns = lengths.map((length, at) => `  @Column.string({ length: ${length} }) c${at}!: string\n`)
  project.write(
    `src/models/note.${source}`,
    `import { Column, Key, Table } from '@isotherm/core'\n${imports}\n@Table('Note')\nexport class Note {\n` +
      `  @Key() @Column.int64() id!: bigint\n${columns.join('')}}\n`,
  )
  project.write(
    `src/print.${source}`,
    `import { compileDdl, defineSchema } from '@isotherm/core'\nimport { googlesql } from '@isotherm/spanner'\n` +
      `import { Note } from './models/note.${source.replace('ts', 'js')}'\n` +
      `console.log(compileDdl(defineSchema([Note]), { dialect: googlesql }).join(';\\n') + ';')\n`,
  )
  for (const [path, text] of Object.entries(files ?? {})) project.write(path, text)
  return project
}

it.each(Object.entries(ROWS))(
  'the command loads models as the compiled application does: %s',
  async (_, row) => {
    const project = await projectOf(row)
    const inFolder = { cwd: project.folder }
    const compiled = await call(process.execPath, [compilerOf(row.compiler), '-p', '.'], inFolder).catch(
      (error: { stdout: string }) => error,
    )
    expect(compiled.stdout).toBe('')
    const output = `dist/print.${(row.ending ?? 'ts').replace('ts', 'js')}`
    const { stdout: application } = await call(process.execPath, [output], inFolder)
    expect(await project.run('generate', 'first')).toMatchObject({ code: 0 })
    const [migration = ''] = project.list('migrations')
    const [file = ''] = project.list(`migrations/${migration}`).filter((name) => name.endsWith('.sql'))
    const sql = project.read(`migrations/${migration}/${file}`)
    expect([...sql.matchAll(/STRING\((\w+)\)/g)].map(([, length]) => length)).toEqual(row.expected)
    expect(sql.trim()).toBe(application.trim())
  },
  300_000,
)

it('the command loads models from compiled JavaScript', async () => {
  const row = ROWS['CommonJS with esModuleInterop']!
  const project = await projectOf(row)
  await call(process.execPath, [compilerOf(row.compiler), '-p', '.'], { cwd: project.folder })
  project.remove('src')
  expect(await project.run('lint', '--schema', 'dist\\models\\*.js')).toMatchObject({ code: 0 })
  expect(await project.run('generate', 'first', '--schema', './dist/models/*.js')).toMatchObject({ code: 0 })
}, 300_000)

it.each([
  ['an object with a require() in it', "module.exports = { Order, User: require('../user.js'), Item }"],
  ['an object with a spread', "module.exports = { User: require('../user.js'), ...{ Order, Item } }"],
  [
    'names assigned in a loop',
    "for (const [name, model] of Object.entries({ Order, Item, User: require('../user.js') })) exports[name] = model",
  ],
  ['a list', "module.exports = [Order, Item, require('../user.js')]"],
  ['a list as a property', "exports.Order = Order\nexports.others = [Item, require('../user.js')]"],
])('the command finds every model of CommonJS that exports %s', async (_, exported) => {
  const project = await UserProject.create()
  project.write('package.json', JSON.stringify({ name: 'shop', version: '1.0.0' }))
  project.write('isotherm.config.json', JSON.stringify({ dialect: 'googlesql', schema: 'models/*.js' }))
  const table = (name: string) => `defineTable('${name}', (t) => ({ id: t.uuidV4() }))`
  const core = "const { defineTable } = require('@isotherm/core')\n"
  project.write('user.js', `${core}module.exports = ${table('User')}\n`)
  project.write(
    'models/index.js',
    `${core}const Order = ${table('Order')}\nconst Item = ${table('Item')}\n${exported}\n`,
  )
  expect(await project.run('generate', 'first')).toMatchObject({ code: 0 })
  const [migration = ''] = project.list('migrations')
  const [file = ''] = project.list(`migrations/${migration}`).filter((name) => name.endsWith('.sql'))
  const tables = project.read(`migrations/${migration}/${file}`).matchAll(/CREATE TABLE `(\w+)`/g)
  expect(new Set([...tables].map(([, name]) => name))).toEqual(new Set(['Item', 'Order', 'User']))
})

const PARENT = `import { defineTable } from '@isotherm/core'
export const Customer = defineTable('Customer', (t) => ({ id: t.uuidV4() }))
`

function childOf(parent: string, name: string): string {
  return `import { defineTable } from '@isotherm/core'
import ${parent}
export const ${name} = defineTable('${name}', (t) => ({ id: t.parentKey(), at: t.uuidV4() }), { interleaveIn: () => Customer })
`
}

it.each<[string, Readonly<Record<string, string>>]>([
  [
    'CommonJS requires it before the command imports it',
    { 'models/customer.mts': PARENT, 'models/a.ts': childOf("{ Customer } from './customer.mjs'", 'Order') },
  ],
  [
    'CommonJS requires it after the command imports it',
    { 'models/customer.mts': PARENT, 'models/z.ts': childOf("{ Customer } from './customer.mjs'", 'Order') },
  ],
  [
    'an ES module imports it together with CommonJS that requires it',
    {
      'customer.mts': PARENT,
      'order.ts': childOf("{ Customer } from './customer.mjs'", 'Order'),
      'models/all.mts': "export { Order } from '../order.js'\nexport * from '../customer.mjs'\n",
    },
  ],
  [
    'its exports are a default and those of two other modules',
    {
      'customer.mts': `${PARENT}export default Customer\nexport * from './one.mjs'\nexport * from './two.js'\n`,
      'one.mts': 'export const one: number = 1\n',
      'two.ts': "export * from './three.js'\nexport * from './four.js'\n",
      'three.ts': 'export const three: number = 3\n',
      'four.ts': 'export const four: number = 4\n',
      'models/a.ts': childOf("Customer from '../customer.mjs'", 'Order'),
      'models/b.mts':
        childOf("Customer, { one, three, four } from '../customer.mjs'", 'Note') +
        "if (one + three + four !== 8) throw new Error('other values')\nexport { Customer }\n",
    },
  ],
])('the command loads an ES module once when %s', async (_, files) => {
  const project = await UserProject.create()
  project.write('package.json', JSON.stringify({ name: 'shop', version: '1.0.0' }))
  project.write(
    'tsconfig.json',
    JSON.stringify({ compilerOptions: { module: 'nodenext', target: 'es2022' } }),
  )
  project.write('isotherm.config.json', JSON.stringify({ dialect: 'googlesql', schema: 'models/*' }))
  for (const [path, text] of Object.entries(files)) project.write(path, text)
  expect(await project.run('lint')).toMatchObject({ code: 0 })
})

it.each<[TypeScript, string]>([
  ['5.2', 'nodenext'],
  ['5.9', 'node16'],
  ['5.9', 'nodenext'],
  ['5.9', 'commonjs'],
])(
  'isotherm init writes a configuration for CommonJS that TypeScript %s accepts, and the command loads, under %s',
  async (compiler, module) => {
    const project = await UserProject.create()
    project.write('package.json', JSON.stringify({ name: 'shop', version: '1.0.0' }))
    const options = {
      target: 'es2022',
      module,
      strict: true,
      skipLibCheck: true,
      noEmit: true,
      types: ['node'],
    }
    project.write('tsconfig.json', JSON.stringify({ compilerOptions: options }))
    expect(await project.run('init', '--yes', '--dialect', 'googlesql')).toMatchObject({ code: 0 })
    const inFolder = { cwd: project.folder }
    const compiled = await call(process.execPath, [compilerOf(compiler), '-p', '.'], inFolder).catch(
      (error: { stdout: string }) => error,
    )
    expect(compiled.stdout).toBe('')
    expect(await project.run('lint')).toMatchObject({ code: 0 })
  },
)
