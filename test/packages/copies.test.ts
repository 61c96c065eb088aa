import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { transformSync } from 'esbuild'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { transformTypeScript } from '../../packages/cli/src/modules/transform-typescript.js'
import { Consumer } from './support/consumer.js'

// Models that extend classes of libraries. Each library has its own copy of @isotherm/core or the copy of the application, and is
// compiled by another compiler in another mode of decorators. The models equal those of a single copy and a single mode, or an
// incompatible copy is rejected with its version. Projects are random; they use the seed of the suite.

const COMPILERS = ['tsc', 'esbuild', 'the command'] as const

interface Compilation {
  readonly compiler: (typeof COMPILERS)[number]
  readonly legacy: boolean
}

type Copy = 'own' | 'shared' | 'foreign'

interface Library extends Compilation {
  readonly copy: Copy
}

interface Column {
  readonly type: keyof typeof TYPES
  readonly index: boolean
}

/** One class of the chain; the first is in the first library, the last in the application. */
interface Level {
  readonly form: 'abstract' | 'mixin' | 'table'
  readonly columns: readonly Column[]
  /** Declares `title` of the first class again. */
  readonly redeclares: boolean
}

interface Project {
  readonly libraries: readonly Library[]
  readonly application: Compilation
  /** The first is in the first library, and so on; the last is in the application. */
  readonly levels: readonly Level[]
}

/** The decorator, the type of the field, and a value where an insert has to give one. */
const TYPES = {
  text: ['@Column.string({ length: 30 })', 'string', "'a'"],
  count: ['@Column.int64()', 'bigint', '1n'],
  note: ['@Column.string({ nullable: true })', 'string | null', undefined],
  made: ["@Column.timestamp({ default: 'now' })", 'Generated<Date>', undefined],
  flag: ['@Column.bool({ default: false })', 'Generated<boolean>', undefined],
  any: ['@Column.json()', 'Readonly<Record<string, unknown>>', '{}'],
} as const

const compilation = { compiler: fc.constantFrom(...COMPILERS), legacy: fc.boolean() }
const level: fc.Arbitrary<Level> = fc.record({
  form: fc.constantFrom('abstract', 'mixin', 'table'),
  columns: fc.array(
    fc.record({
      type: fc.constantFrom(...(Object.keys(TYPES) as (keyof typeof TYPES)[])),
      index: fc.boolean(),
    }),
    { minLength: 1, maxLength: 3 },
  ),
  redeclares: fc.boolean(),
})
const project: fc.Arbitrary<Project> = fc.integer({ min: 1, max: 3 }).chain((count) =>
  fc.record({
    libraries: fc.array(
      fc.record({
        ...compilation,
        copy: fc.constantFrom<Copy>('own', 'own', 'own', 'shared', 'foreign'),
      }),
      { minLength: count, maxLength: count },
    ),
    application: fc.record(compilation),
    levels: fc.array(level, { minLength: count + 1, maxLength: count + 1 }),
  }),
)

const FOREIGN = '0.2.0'
const CORE = 'node_modules/@isotherm/core'
const COMMON = `import { Column, Index, Table, UuidV4, defineSchema, type Generated, type Insert } from '@isotherm/core'
export const used: unknown = [Column, Index, Table, UuidV4, defineSchema]
export type Used = [Generated<string>, Insert<object>]
`

function fieldsOf({ columns, redeclares }: Level, at: number): string {
  const own = columns.map(({ type }, position) => {
    const [decorator, field] = TYPES[type]
    return `  ${decorator} ${nameOf(type, at, position)}!: ${field}`
  })
  const first = at === 0 ? ['  @UuidV4() id!: Generated<string>', '  @Column.string() title!: string'] : []
  const again =
    redeclares && at > 0 ? ["  @Column.string({ length: 99, immutable: true }) title: string = ''"] : []
  return [...first, ...own, ...again].join('\n')
}

function nameOf(type: string, at: number, position: number): string {
  return `${type}${at}${position}`
}

function withoutDecorators(fields: string): string {
  return fields
    .replaceAll(/@[\w.]+\((?:\{.*?\})?\) /g, '')
    .replaceAll(/ = ''/g, '')
    .replaceAll('!:', ':')
}

function indexesOf({ columns }: Level, at: number): string {
  return columns
    .flatMap(({ type, index }, position) =>
      // A document cannot be a part of an index.
      index && type !== 'any' ? [`@Index({ on: ['${nameOf(type, at, position)}'] })\n`] : [],
    )
    .join('')
}

/**
 * @param base the name of the class that it extends
 * @param hasCopies whether a class of the chain uses another copy of core: then a mixin needs a declared type, because TypeScript
 * cannot name types of a nested copy in declarations (TS2883)
 */
function classOf(level: Level, at: number, base: string | undefined, hasCopies: boolean): string {
  const extending = base === undefined ? '' : ` extends ${base}`
  const fields = fieldsOf(level, at)
  const body = `{\n${fields}\n}`
  const table = level.form === 'table' ? `@Table('Table${at}')\n` : ''
  // A mixin is called at once: it returns a class that has a name only in a function.
  const type = hasCopies ? `: abstract new () => ${base} & Fields${at}` : ''
  const declared = hasCopies ? `export interface Fields${at} {\n${withoutDecorators(fields)}\n}\n` : ''
  return level.form === 'mixin' && base !== undefined
    ? `${declared}function mixin${at}()${type} {\n${indexesOf(level, at)}abstract class Level${at}${extending} ${body}\nreturn Level${at}\n}\nexport abstract class Mixed${at} extends mixin${at}() {}\nexport { Mixed${at} as Level${at} }\n`
    : `${table}${indexesOf(level, at)}export ${table ? '' : 'abstract '}class Level${at}${extending} ${body}\n`
}

function applicationOf({ levels }: Project): string {
  const last = levels.length - 1
  const own = levels[last]!
  const required = levels.flatMap(({ columns }, at) =>
    columns.flatMap(({ type }, position) => {
      const [, , value] = TYPES[type]
      return value === undefined ? [] : [`${nameOf(type, at, position)}: ${value}`]
    }),
  )
  return `${COMMON}
import { Level${last - 1} } from 'library${last - 1}'
declare const console: { log(text: string): void }
@Table('Model')
${indexesOf(own, last)}class Model extends Level${last - 1} {
${fieldsOf(own, last)}
}
export const given: Insert<Model> = { title: 'a', ${required.join(', ')} }
try {
  console.log(JSON.stringify(defineSchema([Model])))
} catch (error) {
  console.log(String(error))
}
`
}

let consumer: Consumer

beforeAll(async () => {
  consumer = await Consumer.withOnly(['core'], ['@types/node'])
}, 600_000)

/** Compiles a module beside its source. @returns the messages of the compiler, if types are checked */
async function compile(
  path: string,
  { compiler, legacy }: Compilation,
  checksTypes: boolean,
): Promise<readonly string[]> {
  const file = join(consumer.folder, path)
  // Declarations of other packages have their own errors.
  const options = {
    declaration: true,
    experimentalDecorators: legacy,
    module: 'nodenext',
    skipLibCheck: true,
  }
  const said = checksTypes || compiler === 'tsc' ? await consumer.compile([path], options) : []
  if (compiler === 'tsc') return said
  const compilerOptions = { experimentalDecorators: legacy }
  consumer.write(join(path, '../tsconfig.json'), JSON.stringify({ compilerOptions }))
  const source = readFileSync(file, 'utf8')
  const code =
    compiler === 'esbuild'
      ? transformSync(source, { loader: 'ts', target: 'es2022', tsconfigRaw: { compilerOptions } }).code
      : transformTypeScript(source, file).code
  writeFileSync(file.replace(/\.ts$/, '.js'), code)
  return said
}

function installCopy(folder: string, copy: Copy): void {
  if (copy === 'shared') return
  const to = join(consumer.folder, folder, CORE)
  cpSync(join(consumer.folder, CORE), to, { recursive: true })
  // The compiler treats packages with the same name and version as one package.
  const version = copy === 'foreign' ? FOREIGN : '0.1.1'
  replaceIn(join(to, 'package.json'), '"version": "0.1.0"', `"version": "${version}"`)
  if (copy === 'own') return
  const chunks = join(to, 'chunks')
  const chunk = readdirSync(chunks).find((name) =>
    readFileSync(join(chunks, name), 'utf8').includes('const FORMAT = 1'),
  )
  replaceIn(join(chunks, chunk!), 'const FORMAT = 1', 'const FORMAT = 2')
  replaceIn(join(chunks, chunk!), '"0.1.0"', `"${version}"`)
}

function replaceIn(file: string, text: string, by: string): void {
  const before = readFileSync(file, 'utf8')
  if (!before.includes(text)) throw new Error(`${file} has no ${text}.`)
  writeFileSync(file, before.replace(text, by))
}

/** Compiles and runs a project. @returns what its application prints */
async function run(
  folder: string,
  { libraries, ...project }: Project,
  checksTypes: boolean,
): Promise<string> {
  const said: string[] = []
  for (const [at, library] of libraries.entries()) {
    const home = `${folder}/node_modules/library${at}`
    const base = at === 0 ? '' : `import { Level${at - 1} } from 'library${at - 1}'\n`
    const manifest = { name: `library${at}`, version: '1.0.0', type: 'module', exports: './index.js' }
    consumer.write(`${home}/package.json`, JSON.stringify(manifest))
    const code = classOf(
      project.levels[at]!,
      at,
      at === 0 ? undefined : `Level${at - 1}`,
      libraries.slice(0, at + 1).some(({ copy }) => copy !== 'shared'),
    )
    consumer.write(`${home}/index.ts`, `${COMMON}${base}${code}`)
    installCopy(home, library.copy)
    said.push(...(await compile(`${home}/index.ts`, library, checksTypes)))
  }
  consumer.write(`${folder}/index.ts`, applicationOf({ libraries, ...project }))
  said.push(...(await compile(`${folder}/index.ts`, project.application, checksTypes)))
  expect(said).toEqual([])
  return consumer.run(`${folder}/index.js`)
}

describe.each(fc.sample(project, 12).map((each, at) => [at, each] as const))(
  'random project %i whose libraries have copies of @isotherm/core: %j',
  (at, project) => {
    it('the models equal those of a single copy, or an error has the version of the incompatible copy', async () => {
      const plain = { compiler: 'esbuild', legacy: false } as const
      const single: Project = {
        application: plain,
        libraries: project.libraries.map(() => ({ ...plain, copy: 'shared' })),
        levels: project.levels,
      }
      const expected = await run(`single${at}`, single, false)
      const columns = project.levels.flatMap((each, position) =>
        each.columns.map(({ type }, index) => nameOf(type, position, index)),
      )
      const [table] = (JSON.parse(expected) as { tables: { columns: { property: string }[] }[] }).tables
      expect(table!.columns.map(({ property }) => property).toSorted()).toEqual(
        ['id', 'title', ...columns].toSorted(),
      )
      const printed = await run(`project${at}`, project, true)
      const refusal =
        /^IsothermError: Level\d was recorded by another version of @isotherm\/core: 0\.2\.0, and this is 0\.1\.0\. Install one version/
      const isRefused = project.libraries.some(({ copy }) => copy === 'foreign')
      expect(refusal.test(printed) ? 'refused' : printed).toBe(isRefused ? 'refused' : expected)
    })
  },
)
