// Proves that the linter's guards can fail: plants one offence at a time in a copy of the sources, and expects the
// rule's name in what the linter says.
import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const root = new URL('..', import.meta.url).pathname
const copy = mkdtempSync(join(tmpdir(), 'isotherm-guards-'))
const PACKAGES = [
  'core',
  'spanner',
  'cassandra',
  'postgresql',
  'migrations',
  'testing',
  'cli',
  'drizzle-adapter',
]

/** What is planted, in which file below packages/, how, and the rule that has to say so. */
const offences = [
  ['an any', 'core/src/model/table.ts', append('export const anything: any = 1'), 'no-explicit-any'],
  ['an import cycle', 'core/src/model/column.ts', importing('./table.js'), 'no-cycle'],
  ...[
    ['core/src/model/schema.ts', '../database/database.js'],
    ['core/src/model/schema.ts', '../tokens/tokens.js'],
    ['core/src/keys/uuid.ts', '../model/schema.js'],
    ['core/src/layout/layout.ts', '../engine/codec.js'],
    ['core/src/lint/run.ts', '../database/introspect.js'],
    ['core/src/read/plan/costs.ts', '../run/run.js'],
    ['core/src/options.ts', './model/schema.js'],
    ['core/src/keys/uuid.ts', '../index.js'],
    ['spanner/src/googlesql/layout.ts', '../driver/driver.js'],
    ['cassandra/src/cql/layout.ts', '../driver/driver.js'],
    // What an application bundles has no tools in it.
    ['spanner/src/driver/driver.ts', '../googlesql/tools/dialect.js'],
    ['spanner/src/driver/driver.ts', '../introspection/assemble.js'],
    ['spanner/src/googlesql/runtime.ts', '../lint/lint.js'],
    ['cassandra/src/driver/driver.ts', '../ddl/introspect.js'],
    ['cassandra/src/cql/runtime.ts', '../differ/differ.js'],
    ['postgresql/src/driver/driver.ts', '../ddl/ddl.js'],
    ['spanner/src/driver/driver.ts', '@isotherm/core/tools'],
    ['cassandra/src/cql/runtime.ts', '@isotherm/core/tools'],
    ['migrations/src/diff/context.ts', '../run/run.js'],
    ['cli/src/terminal/output.ts', '../commands/init.js'],
    ['drizzle-adapter/src/session/session.ts', '../keys/mutations.js'],
  ].map(([file, specifier]) => [`${specifier} in ${file}`, file, importing(specifier), 'imports-go-down']),
  [
    'a folder without a place',
    'core/src/keys/unplaced/uuid.ts',
    () => 'export const nothing = undefined\n',
    'imports-go-down',
  ],
  ...[
    ['core/src/engine/codec.ts', '@isotherm/migrations'],
    ['core/src/read/plan/costs.ts', '@google-cloud/spanner'],
    ['core/src/engine/codec.ts', 'cassandra-driver'],
    ['core/src/layout/layout.ts', '@isotherm/spanner'],
    ['spanner/src/driver/driver.ts', '@isotherm/cassandra'],
    ['spanner/src/driver/driver.ts', '@isotherm/migrations'],
    ['postgresql/src/driver/driver.ts', '@isotherm/spanner'],
    ['cassandra/src/driver/driver.ts', '@isotherm/spanner/adapter'],
    ['cassandra/src/driver/driver.ts', '@isotherm/migrations'],
    ['migrations/src/names.ts', '@isotherm/cassandra/dialects'],
    ['migrations/src/names.ts', '@google-cloud/spanner'],
    ['testing/src/part.ts', '@isotherm/migrations'],
    ['core/src/engine/codec.ts', '@isotherm/testing'],
  ].map(([file, specifier]) => [
    `${specifier} in ${file}`,
    file,
    importing(specifier),
    'no-restricted-imports',
  ]),
  [
    'an engine in a name of core',
    'core/src/keys/uuid.ts',
    append('export const spannerUuid = 1'),
    'no-engine-names',
  ],
  [
    'an engine in a text of core',
    'core/src/keys/uuid.ts',
    append("export const engine = 'a driver of Cassandra'"),
    'no-engine-names',
  ],
  ['a promise left alone', 'core/src/keys/uuid.ts', append('Promise.resolve(1)'), 'no-floating-promises'],
  [
    'a list as arguments',
    'core/src/keys/uuid.ts',
    append('export const greatest = (numbers: number[]) => Math.max(...numbers)'),
    'no-spread-arguments',
  ],
  ['a suppressed check', 'core/src/keys/uuid.ts', append('// @ts-ignore'), 'ban-ts-comment'],
]

function append(line) {
  return (text) => `${text}\n${line}\n`
}

function importing(specifier) {
  return (text) => `import '${specifier}'\n${text}`
}

/** @param folders below the copy */
function lint(folders) {
  try {
    return execFileSync(
      join(root, 'node_modules/.bin/oxlint'),
      ['--type-aware', '-c', '.oxlintrc.json', ...folders],
      {
        cwd: copy,
        encoding: 'utf8',
      },
    )
  } catch (error) {
    return String(error.stdout)
  }
}

let failed = 0
try {
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  for (const name of PACKAGES) {
    const folder = join('packages', name)
    cpSync(join(root, folder, 'src'), join(copy, folder, 'src'), { recursive: true })
    symlinkSync(join(root, folder, 'node_modules'), join(copy, folder, 'node_modules'))
    for (const file of ['tsconfig.json', 'package.json'])
      cpSync(join(root, folder, file), join(copy, folder, file))
  }
  for (const file of ['.oxlintrc.json', 'tsconfig.base.json', 'scripts/lint'])
    cpSync(join(root, file), join(copy, file), { recursive: true })
  const clean = lint(PACKAGES.map((name) => `packages/${name}/src`))
  if (!clean.includes('Found 0 warnings and 0 errors')) {
    failed++
    console.log(`not ok: the sources as they are\n${clean}`)
  }
  for (const [what, file, plant, rule] of offences) {
    const path = join(copy, 'packages', file)
    const before = existsSync(path) ? readFileSync(path, 'utf8') : undefined
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, plant(before))
    const caught = lint([`packages/${file.split('/')[0]}/src`]).includes(`(${rule})`)
    if (before === undefined) rmSync(path)
    else writeFileSync(path, before)
    if (!caught) failed++
    console.log(`${caught ? 'ok' : 'not ok'}: ${what} is caught by ${rule}`)
  }
} finally {
  rmSync(copy, { recursive: true, force: true })
}
console.log(`${offences.length + 1 - failed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
