// Checks the documentation: `node scripts/check-docs.mjs [page …]`, after a build.
//
// What a fenced block's first line says:
//
//   ```ts                 type-checked against the built packages, as a module of its own
//   ```ts continue        goes on in the module of the block before it
//   ```ts run             type-checked, and executed, what continues it too; where it starts a Spanner emulator or a
//                         Cassandra, it finds the one that all pages share
//   ```ts legacy          type-checked under experimentalDecorators with emitDecoratorMetadata; may be combined
//   ```text output        what the executed block above it prints; … stands for anything in a line, or for lines
//   ```sql                executed; below an executed block that declares models, it has to be their DDL, and begins
//                         a new database; anywhere else it sees what the page's sql blocks have made since
//   ```json               has to be JSON
//
// Every error is reported at its line of the page. With page names, only those pages are checked.

import { relative, resolve } from 'node:path'
import { architectureChecks, PAGE as ARCHITECTURE } from './check-docs/architecture.mjs'
import { coverageChecks } from './check-docs/coverage.mjs'
import { Engines } from './check-docs/engines.mjs'
import { linkChecks } from './check-docs/links.mjs'
import { readPages, root } from './check-docs/pages.mjs'
import { planPage } from './check-docs/plan.mjs'
import { requirementChecks, PAGE as REQUIREMENTS } from './check-docs/requirements.mjs'
import { runChecks } from './check-docs/run.mjs'
import { sqlChecks } from './check-docs/sql.mjs'
import { typeChecks } from './check-docs/types.mjs'

const asked = process.argv.slice(2).map((page) => relative(root, resolve(page)))
const all = readPages()
const unknown = asked.find((page) => !all.some(({ path }) => path === page))
if (unknown !== undefined) {
  console.error(`${unknown} is not a Markdown file of this repository.`)
  process.exit(1)
}

const chosen = all.filter(({ path }) => asked.length === 0 || asked.includes(path))
const plans = chosen.filter(({ hasCode }) => hasCode).map(planPage)
const modules = plans.flatMap((plan) => plan.modules)
const queries = plans.flatMap((plan) => plan.sql)

const checks = [...plans.flatMap((plan) => plan.checks), ...linkChecks(chosen, all)]
if (asked.length === 0) checks.push(...coverageChecks(all))
if (chosen.some(({ path }) => path === ARCHITECTURE)) checks.push(...architectureChecks(all))
for (const page of chosen) if (page.path === REQUIREMENTS) checks.push(...requirementChecks(page))

const engines = new Engines()
try {
  checks.push(...(await typeChecks(modules)))
  checks.push(...(await runChecks(modules, engines)))
  checks.push(...(await sqlChecks(queries, engines)))
} finally {
  await engines.stop()
}

const failed = checks.filter((check) => check.failures.length > 0)
for (const { failures } of failed) for (const failure of failures) console.error(`${failure}\n`)
const kinds = groupByKind(checks)
for (const [kind, { length }] of kinds) console.log(`${String(length).padStart(4)}  ${kind}`)
console.log(`${checks.length - failed.length} passed, ${failed.length} failed`)
process.exitCode = failed.length > 0 ? 1 : 0

function groupByKind(list) {
  const groups = new Map()
  for (const check of list) groups.set(check.kind, [...(groups.get(check.kind) ?? []), check])
  return groups
}
