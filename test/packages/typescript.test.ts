import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, it } from 'vitest'
import { sharedEmulator } from '../support/spanner.js'
import { type TypeScript, installedCompilers } from './support/compilers.js'
import { Consumer } from './support/consumer.js'

// `npm install @isotherm/core @isotherm/spanner @google-cloud/spanner` in an empty folder, from the packed packages, and the example of
// the README there: as ES modules and as CommonJS, with each TypeScript that the documentation names.

const root = fileURLToPath(new URL('../../', import.meta.url))

/** Declarations of dependencies that TypeScript 7 rejects, and earlier versions do not check. */
const OF_DEPENDENCIES = /^node_modules\/@google-cloud\/.*TS8023: JSDoc/

const ENTRIES = [
  ['core', 'core/keys', 'core/sequences', 'core/reshard', 'core/engine', 'core/tools', 'core/local'],
  ['core/command', 'core/adapter', 'spanner', 'spanner/local', 'spanner/adapter', 'spanner/cli'],
].flat()

const RESOLUTIONS = {
  nodenext: { module: 'nodenext' },
  bundler: { module: 'esnext', moduleResolution: 'bundler' },
  node10: { module: 'commonjs', moduleResolution: 'node10' },
}

let consumer: Consumer
let compilerOf: (version: TypeScript) => string

beforeAll(async () => {
  compilerOf = await installedCompilers()
  consumer = await Consumer.withOnly(
    ['core', 'spanner', 'cassandra'],
    ['@google-cloud/spanner', 'cassandra-driver', '@types/node'],
  )
  consumer.write(
    'entries.ts',
    ENTRIES.map((entry, at) => `export * as e${at} from '@isotherm/${entry}'`).join('\n'),
  )
  // Tests of core's types. Each test fails if a type is `any`.
  const types = join(root, 'packages/core/test/types')
  for (const file of typeTests()) consumer.write(`types/${file}`, readFileSync(join(types, file), 'utf8'))
}, 600_000)

function typeTests(): readonly string[] {
  return readdirSync(join(root, 'packages/core/test/types')).filter((file) => file.endsWith('.ts'))
}

async function check(
  version: TypeScript,
  files: readonly string[],
  options: Readonly<Record<string, unknown>>,
): Promise<string[]> {
  const found = await consumer.compile(files, { skipLibCheck: false, ...options }, compilerOf(version))
  return found.filter((message) => !OF_DEPENDENCIES.test(message))
}

it.each([
  ['5.2', 'nodenext'],
  ['5.2', 'node10'],
  ['5.4', 'nodenext'],
  ['5.4', 'node10'],
  ['5.9', 'nodenext'],
  ['5.9', 'bundler'],
  ['7.0', 'nodenext'],
  ['7.0', 'bundler'],
] as const)(
  'TypeScript %s with moduleResolution %s compiles the declarations of every entry, without the type any',
  async (version, resolution) => {
    const tests = typeTests().filter((file) => file !== 'legacy.ts')
    expect(
      await check(version, ['entries.ts', ...tests.map((file) => `types/${file}`)], {
        ...RESOLUTIONS[resolution],
        noEmit: true,
      }),
    ).toEqual([])
  },
)

const LEGACY_TYPE_TESTS = ['legacy', 'classes', 'fields', 'field-options'].map((name) => `types/${name}.ts`)

it.each(['5.2', '5.4', '5.9', '7.0'] as const)(
  'TypeScript %s infers the same types of fields with experimentalDecorators',
  async (version) => {
    expect(
      await check(version, LEGACY_TYPE_TESTS, {
        ...RESOLUTIONS.nodenext,
        experimentalDecorators: true,
        emitDecoratorMetadata: true,
        noEmit: true,
      }),
    ).toEqual([])
  },
)

const REFUSED = `
import { Column } from '@isotherm/core'
export class Refused {
  @Column.string() private secret!: string
  @Column.string() note?: string
  @Column.string() total!: number
  readonly used = this.secret
}
`

it.each(
  (['standard', 'legacy'] as const).flatMap((mode) =>
    (['5.2', '5.4', '5.9', '7.0'] as const).map((version) => [version, mode] as const),
  ),
)('TypeScript %s says why it refuses the field of a column, with %s decorators', async (version, mode) => {
  consumer.write('refused.ts', REFUSED)
  const options = { skipLibCheck: true, noEmit: true, experimentalDecorators: mode === 'legacy' }
  const said = await consumer.explain(
    ['refused.ts'],
    { ...RESOLUTIONS.nodenext, ...options },
    compilerOf(version),
  )
  const reasons = said.matchAll(/^refused\.ts\((\d+),[^]*?(a column must[^:]*|the type of this field[^,]*)/gm)
  expect([...reasons].map(([, line, reason]) => [line, reason])).toEqual([
    ['4', 'a column must be a public field'],
    ['5', 'a column must not be an optional field'],
    ['6', 'the type of this field does not fit its column'],
  ])
})

/** A library with decorators of its own, and with functions whose types are inferred from rows. */
const LIBRARY = `
import { Column, type Database, type Generated, Key, Table, UuidV4 } from '@isotherm/core'
export const Id = Key()
export const Columns = { ...Column }
export const Money = () => Column.numeric({ nullable: true })
@Table('Visit')
export class Visit {
  @UuidV4() id!: Generated<string>
  @Column.timestamp() at!: Date
  @Money() price!: string | null
}
export const visit = (db: Database, id: string) => db.get(Visit, { id })
export const visits = (db: Database) => db.fanOut(Visit).page()
export const add = (db: Database, at: Date) => db.insert(Visit, [{ at }])
`

it.each(['5.2', '5.9', '7.0'] as const)(
  'TypeScript %s writes declarations of a library that import no package but @isotherm/core',
  async (version) => {
    consumer.write('library.mts', LIBRARY)
    expect(await check(version, ['library.mts'], { ...RESOLUTIONS.nodenext, declaration: true })).toEqual([])
    const declarations = readFileSync(join(consumer.folder, 'library.d.mts'), 'utf8')
    expect(declarations).toContain('import("@isotherm/core").PreciseDate')
    const imported = [...declarations.matchAll(/(?:import\(|from )["']([^"']+)["']/g)].map(([, name]) => name)
    expect(new Set(imported)).toEqual(new Set(['@isotherm/core']))
  },
)

/** The model, insert, get and fan-out of the README: its imports, and its statements. */
function ofReadme(): { readonly imports: string; readonly steps: string } {
  const readme = readFileSync(join(root, 'README.md'), 'utf8')
  const [model, database] = [...readme.matchAll(/^```ts (?:run|continue)\n([^]*?)^```$/gm)].map(
    ([, code]) => code!,
  )
  const lines = `${model}${database}`.split('\n')
  const isImport = (line: string): boolean => line.startsWith('import ')
  return {
    imports: lines.filter(isImport).join('\n'),
    steps: lines.filter((line) => !isImport(line)).join('\n'),
  }
}

/** Each compiles only if a row has its model's type: there would be no error to expect if it were `any`. */
const TYPED_ROWS = `
for await (const each of db.fanOut(UserAccessLog)) {
  // @ts-expect-error: a row has its model's columns
  void each.noSuchColumn
}
// @ts-expect-error: a row has its model's columns
void rows[0]?.noSuchColumn
// @ts-expect-error: a row has its model's columns
void (await db.get(UserAccessLog, row!))?.noSuchColumn
`

it.each([
  ['5.4', 'an ES module', 'mts', RESOLUTIONS.nodenext],
  ['5.4', 'CommonJS', 'cts', RESOLUTIONS.node10],
  ['5.9', 'CommonJS', 'cts', RESOLUTIONS.nodenext],
  ['7.0', 'an ES module', 'mts', RESOLUTIONS.nodenext],
  ['7.0', 'CommonJS', 'cts', RESOLUTIONS.nodenext],
] as const)(
  'TypeScript %s compiles the example of the README to %s, and the output runs',
  async (version, _, extension, options) => {
    const { imports, steps } = ofReadme()
    const isModule = extension === 'mts'
    const output = isModule ? 'readme.mjs' : 'readme.cjs'
    const body = `${steps}${TYPED_ROWS}`
    // CommonJS supports await only in functions.
    const main = isModule ? body : `async function main() {\n${body}\n}\nvoid main()\n`
    consumer.write(`readme.${extension}`, `${imports}\n${main}`)
    expect(await check(version, [`readme.${extension}`], options)).toEqual([])
    const compiled = readFileSync(join(consumer.folder, output), 'utf8')
    expect(compiled.includes('require("@isotherm/core")')).toBe(!isModule)
    const printed = await consumer.run(output, { SPANNER_EMULATOR_HOST: (await sharedEmulator()).host })
    expect(printed).toMatch(/^CREATE TABLE `UserAccessLog` \(/)
    // The row that was inserted, and how many rows there are.
    expect(printed).toMatch(/\n7n\n1 1n? /)
  },
)
