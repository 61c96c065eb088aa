// Proves that the linter's guards can fail: plants one offence at a time in a copy of the sources, and expects the
// rule's name in what the linter says.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = new URL('..', import.meta.url).pathname
const copy = mkdtempSync(join(tmpdir(), 'isotherm-guards-'))

const offences = [
  ['a file of 401 lines', 'model/table.ts', (text) => text + '// padding\n'.repeat(401), 'max-lines'],
  ['an any', 'model/table.ts', (text) => `${text}\nexport const anything: any = 1\n`, 'no-explicit-any'],
  ['an import cycle', 'model/column.ts', (text) => `import './table.js'\n${text}`, 'no-cycle'],
  [
    'an upward import',
    'model/schema.ts',
    (text) => `import '../database/database.js'\n${text}`,
    'no-restricted-imports',
  ],
  [
    'an upward import in keys',
    'keys/uuid-v4.ts',
    (text) => `import '../model/schema.js'\n${text}`,
    'no-restricted-imports',
  ],
  [
    'a tokenizer that reads a dialect',
    'sql/tokenize.ts',
    (text) => `import '../dialects/wire.js'\n${text}`,
    'no-restricted-imports',
  ],
  [
    'a model that reads SQL',
    'model/schema.ts',
    (text) => `import '../sql/token.js'\n${text}`,
    'no-restricted-imports',
  ],
  [
    'a dialect that reads the driver',
    'dialects/wire.ts',
    (text) => `import '../drivers/spanner.js'\n${text}`,
    'no-restricted-imports',
  ],
  [
    'a database that reads migrations',
    'database/codec.ts',
    (text) => `import '../migrations/statement.js'\n${text}`,
    'no-restricted-imports',
  ],
  [
    "a vendor's client outside the drivers",
    'fan-out/planning/costs.ts',
    (text) => `import '@google-cloud/spanner'\n${text}`,
    'no-restricted-imports',
  ],
  ...[
    ['cassandra-driver', 'database/codec.ts'],
    ['cassandra-driver', 'dialects/wire.ts'],
    ['@smithy/signature-v4', 'migrations/pace.ts'],
    ['@aws-sdk/credential-providers', 'sequences/pace.ts'],
  ].map(([vendor, file]) => [
    `${vendor} in ${file}`,
    file,
    (text) => `import '${vendor}'\n${text}`,
    'no-restricted-imports',
  ]),
  [
    'a promise left alone',
    'keys/uuid-v4.ts',
    (text) => `${text}\nPromise.resolve(1)\n`,
    'no-floating-promises',
  ],
  ['a suppressed check', 'keys/uuid-v4.ts', (text) => `${text}\n// @ts-ignore\n`, 'ban-ts-comment'],
]

function lint() {
  try {
    return execFileSync(
      join(root, 'node_modules/.bin/oxlint'),
      ['--type-aware', '-c', '.oxlintrc.json', 'packages/core/src'],
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
  cpSync(join(root, 'packages/core/src'), join(copy, 'packages/core/src'), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  symlinkSync(join(root, 'packages/core/node_modules'), join(copy, 'packages/core/node_modules'))
  for (const file of [
    '.oxlintrc.json',
    'tsconfig.base.json',
    'packages/core/tsconfig.json',
    'packages/core/package.json',
  ]) {
    cpSync(join(root, file), join(copy, file))
  }
  const clean = lint()
  if (!clean.includes('Found 0 warnings and 0 errors')) {
    failed++
    console.log(`not ok: the sources as they are\n${clean}`)
  }
  for (const [what, file, plant, rule] of offences) {
    const path = join(copy, 'packages/core/src', file)
    const before = readFileSync(path, 'utf8')
    writeFileSync(path, plant(before))
    const caught = lint().includes(`(${rule})`)
    writeFileSync(path, before)
    if (!caught) failed++
    console.log(`${caught ? 'ok' : 'not ok'}: ${what} is caught by ${rule}`)
  }
} finally {
  rmSync(copy, { recursive: true, force: true })
}
console.log(`${offences.length + 1 - failed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
