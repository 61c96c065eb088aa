// Proves that the checks of the documentation can fail: a page with one offence after the other, each of which has to be
// reported at its own line, and nothing else. Needs a build, as the checks do.
import { Engines } from './check-docs/engines.mjs'
import { linkChecks } from './check-docs/links.mjs'
import { parsePage } from './check-docs/markdown.mjs'
import { planPage } from './check-docs/plan.mjs'
import { requirementChecks } from './check-docs/requirements.mjs'
import { runChecks } from './check-docs/run.mjs'
import { sqlChecks } from './check-docs/sql.mjs'
import { typeChecks } from './check-docs/types.mjs'

const PATH = 'docs/planted.md'

/**
 * Each with what the report has to say; its line is the one that ends in `←`, which is taken away.
 *
 * @type {[what: string, planted: string[], says: string][]}
 */
const offences = [
  [
    'a type error',
    ['```ts', "import { shardOf } from '@isotherm/core/keys'", "shardOf(1n, '64')←", '```'],
    'TS2345',
  ],
  [
    'a type error in what continues a block',
    ['```ts', 'const n = 1', '```', '```ts continue', 'n = 2←', '```'],
    'TS2588',
  ],
  [
    'an error that was expected and is none',
    ['```ts', '// @ts-expect-error: no←', 'const one: number = 1', '```'],
    'TS2578',
  ],
  ['an entry that there is not', ['```ts', "import '@isotherm/core/model'←", '```'], 'TS2'],
  [
    'a type error under legacy decorators',
    [
      '```ts legacy',
      "import { Column } from '@isotherm/core'",
      'class A {',
      '@Column.int64() a!: string←',
      '}',
      '```',
    ],
    'TS1',
  ],
  ['a mark that would switch the check off', ['```ts no-check←', '1n + 1', '```'], 'no mark'],
  ['a block with another language name', ['```typescript←', '1n + 1', '```'], 'rather than'],
  [
    'an output that differs',
    ['```ts run', 'console.log(1)', '```', '```text output', '2←', '```'],
    'Actually',
  ],
  [
    'an output that is cut short',
    ['```ts run', "console.log('a\\nb')", '```', '```text output', 'a←', '```'],
    'more than',
  ],
  ['an output of nothing', ['## Elsewhere', '```text output←', '1', '```'], 'no executed block'],
  [
    'a block that throws',
    ['```ts run', 'const broken = true', "if (broken) throw new Error('planted')←", '```'],
    'planted',
  ],
  [
    'DDL that differs',
    [
      '```ts run',
      "import { defineTable } from '@isotherm/core'",
      "const A = defineTable('A', (t) => ({ id: t.int64().key() }))",
      '```',
      '```sql',
      'CREATE TABLE `A` (',
      '  `id` INT64←',
      ') PRIMARY KEY (`id`)',
      '```',
    ],
    'INT64 NOT NULL',
  ],
  ['a statement that fails', ['## Statements', '```sql', 'SELECT nothing FROM Nowhere←', '```'], 'Nowhere'],
  ['JSON that is none', ['```json', '{ one: 1 }←', '```'], 'JSON'],
  ['a link to nothing', ['[there](not-there.md)←'], 'not there'],
  [
    'a link to nothing of this repository in the web',
    ['[there](https://github.com/isotherm-orm/isotherm/blob/main/docs/not-there.md)←'],
    'not there',
  ],
  ['a link over two lines', ['[one and←', 'two](not-there.md)'], 'not there'],
  ['a link to a heading that there is not', ['[there](guide/keys.md#not-there)←'], 'no such heading'],
  ['a reference that is defined nowhere', ['[there][nowhere]←'], 'defined nowhere'],
  [
    'a requirement that only deep tests show',
    ['| K1 | [load](../test/sequences/load.test.ts) |←'],
    'runs none',
  ],
  [
    'a requirement that only a deep part of the conformance suite shows',
    ['| K1 | [large](../packages/testing/src/parts/large.ts) |←'],
    'runs none',
  ],
  [
    'an exception for a requirement that needs none',
    ['| excepted | [plan](../packages/testing/src/parts/plan.ts) |←'],
    'no exception',
  ],
  ['a block that is never closed', ['```ts←', 'const last = 1'], 'never closed'],
]

/** What must pass. */
const innocent = [
  '[keys](guide/keys.md#traps) and `[code](nowhere.md)`',
  '[plan](../packages/testing/src/parts/plan.ts), [large](../packages/testing/src/parts/large.ts)',
  '| deep | [load](../test/sequences/load.test.ts) |',
  '```ts run',
  "console.log('took 12 ms\\nmore\\nend')",
  '```',
  '```text output',
  'took … ms',
  '…',
  'end',
  '```',
]

const lines = [...innocent]
const expected = offences.map(([what, planted, says]) => {
  lines.push('', ...planted)
  const line = lines.findIndex((each) => each.endsWith('←')) + 1
  lines[line - 1] = lines[line - 1].slice(0, -1)
  return { what, line, says }
})

const page = parsePage(PATH, lines.join('\n'))
const pages = [page, parsePage('docs/guide/keys.md', '## Traps')]
const { checks, modules, sql } = planPage(page)
checks.push(...linkChecks([page], pages))
const excepted = { '| deep': 'for the guard', '| excepted': 'for the guard' }
checks.push(...requirementChecks(page, lines, excepted))
const engines = new Engines()
try {
  checks.push(...(await typeChecks(modules)))
  checks.push(...(await runChecks(modules, engines)))
  checks.push(...(await sqlChecks(sql, engines)))
} finally {
  await engines.stop()
}

const failures = checks.flatMap((check) => check.failures)
let failed = 0
for (const { what, line, says } of expected) {
  const caught = failures.some((failure) => failure.startsWith(`${PATH}:${line}:`) && failure.includes(says))
  if (!caught) failed++
  console.log(`${caught ? 'ok' : 'not ok'}: ${what} is reported at its line`)
}
for (const failure of failures) {
  if (expected.some(({ line }) => failure.startsWith(`${PATH}:${line}:`))) continue
  failed++
  console.log(`not ok: reported without an offence: ${failure}`)
}
console.log(`${expected.length - failed} passed, ${failed} failed`)
process.exitCode = failed > 0 ? 1 : 0
