// Holds docs/reference/drizzle-parity.md against Drizzle's own declarations: every method that Drizzle has is in the list, the
// list has no feature that Drizzle does not have, and what is said to work is linked to a test that there is.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { SyntaxKind } from 'typescript/unstable/ast'
import { API } from 'typescript/unstable/sync'

const root = new URL('..', import.meta.url).pathname
const page = process.argv[2] ?? join(root, 'docs/reference/drizzle-parity.md')
const MIN = 0.95
const DIALECTS = ['GoogleSQL', 'PostgreSQL']

const adapter = createRequire(join(root, 'packages/drizzle-adapter/package.json'))
const drizzle = dirname(dirname(adapter.resolve('drizzle-orm/pg-core')))

/** What the list has headings for, and where Drizzle declares it. */
const SECTIONS = [
  ['PgDatabase', 'pg-core/db.d.ts'],
  ['PgDatabase.with', 'pg-core/db.d.ts'],
  ['NeonHttpDatabase', 'neon-http/driver.d.ts'],
  ['PgTransaction', 'pg-core/session.d.ts'],
  ['PgTransactionConfig', 'pg-core/session.d.ts'],
  ['PgSelectBuilder', 'pg-core/query-builders/select.d.ts'],
  ['PgSelectQueryBuilderBase', 'pg-core/query-builders/select.d.ts'],
  ['PgSelectBase', 'pg-core/query-builders/select.d.ts'],
  ['LockStrength', 'pg-core/query-builders/select.types.d.ts'],
  ['LockConfig', 'pg-core/query-builders/select.types.d.ts'],
  ['PgCreateSetOperatorFn', 'pg-core/query-builders/select.d.ts'],
  ['PgInsertBuilder', 'pg-core/query-builders/insert.d.ts'],
  ['PgInsertBase', 'pg-core/query-builders/insert.d.ts'],
  ['PgInsertOnConflictDoUpdateConfig', 'pg-core/query-builders/insert.d.ts'],
  ['PgUpdateBuilder', 'pg-core/query-builders/update.d.ts'],
  ['PgUpdateBase', 'pg-core/query-builders/update.d.ts'],
  ['PgDeleteBase', 'pg-core/query-builders/delete.d.ts'],
  ['RelationalQueryBuilder', 'pg-core/query-builders/query.d.ts'],
  ['DBQueryConfig', 'relations.d.ts'],
  ['PgRelationalQuery', 'pg-core/query-builders/query.d.ts'],
  ['QueryBuilder', 'pg-core/query-builders/query-builder.d.ts'],
  ['QueryBuilder.with', 'pg-core/query-builders/query-builder.d.ts'],
  ['PgRaw', 'pg-core/query-builders/raw.d.ts'],
  ['PgCountBuilder', 'pg-core/query-builders/count.d.ts'],
  ['PgRefreshMaterializedView', 'pg-core/query-builders/refresh-materialized-view.d.ts'],
  ['PgPreparedQuery', 'pg-core/session.d.ts'],
  ['QueryPromise', 'query-promise.d.ts'],
]

const HIDDEN = new Set([SyntaxKind.PrivateKeyword, SyntaxKind.ProtectedKeyword, SyntaxKind.StaticKeyword])
// What may only be read is not a method, but what a builder was made of.
const READ = SyntaxKind.ReadonlyKeyword

/** Names of members that anybody may use. */
function membersOf(members) {
  const open = [...members].filter(
    ({ modifiers = [] }) => ![...modifiers].some(({ kind }) => HIDDEN.has(kind) || kind === READ),
  )
  return open.flatMap(({ name }) =>
    name?.text === undefined || name.text.startsWith('_') ? [] : [name.text],
  )
}

/** The properties of a type, and of the types that it is put together of. */
function propertiesOf(type) {
  if (type.kind === SyntaxKind.TypeLiteral) return membersOf(type.members)
  if (type.kind === SyntaxKind.LiteralType) return [type.literal.text]
  if (type.types) return [...type.types].flatMap(propertiesOf)
  if (type.kind === SyntaxKind.ParenthesizedType) return propertiesOf(type.type)
  if (type.kind === SyntaxKind.ConditionalType) {
    return [...propertiesOf(type.trueType), ...propertiesOf(type.falseType)]
  }
  return []
}

function declared(file, heading) {
  const [name, method] = heading.split('.')
  const found = []
  for (const statement of file.statements) {
    if (statement.kind === SyntaxKind.VariableStatement) {
      for (const { name: variable, type } of statement.declarationList.declarations) {
        if (type?.typeName?.text === name) found.push(variable.text)
      }
    }
    if (statement.name?.text !== name) continue
    if (statement.kind === SyntaxKind.TypeAliasDeclaration) found.push(...propertiesOf(statement.type))
    else if (!statement.members) continue
    else if (method) {
      const member = [...statement.members].find((each) => each.name?.text === method)
      found.push(...membersOf(member.type.members))
    } else found.push(...membersOf(statement.members))
  }
  return new Set(found)
}

function declarations() {
  const folder = mkdtempSync(join(tmpdir(), 'isotherm-parity-'))
  const config = join(folder, 'tsconfig.json')
  const files = [...new Set(SECTIONS.map(([, file]) => join(drizzle, file)))]
  writeFileSync(config, JSON.stringify({ compilerOptions: { noLib: true, types: [] }, files }))
  const api = new API({ cwd: root })
  try {
    const { program } = api.updateSnapshot({ openProject: config }).getProject(config)
    return new Map(
      SECTIONS.map(([heading, file]) => [
        heading,
        declared(program.getSourceFile(join(drizzle, file)), heading),
      ]),
    )
  } finally {
    api.close()
    rmSync(folder, { recursive: true })
  }
}

/** The list: by heading, its rows. */
function listed() {
  const sections = new Map()
  let rows
  readFileSync(page, 'utf8')
    .split('\n')
    .forEach((line, at) => {
      const heading = /^## `([^`]+)`/.exec(line)?.[1]
      if (heading) sections.set(heading, (rows = []))
      const cells = line.split(/(?<!\\)\|/).map((cell) => cell.trim())
      const method = /^`([^`]+)`/.exec(cells[1] ?? '')?.[1]
      if (rows && method) rows.push({ method, line: at + 1, cells: cells.slice(2, 4) })
    })
  return sections
}

/** A test's title, or that of one of the rows that a test is run for. */
function hasTest(text, title) {
  const quote = title.includes("'") ? '"' : "'"
  const quoted = `${quote}${title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}${quote}`
  return new RegExp(`(?:\\b(?:test|it)\\(|\\]\\s*(?:as const)?\\)\\(|\\[)\\s*${quoted}`).test(text)
}

const problems = []
const counts = Object.fromEntries(
  DIALECTS.map((dialect) => [dialect, { works: 0, impossible: 0, missing: 0 }]),
)

function checkCell(cell, count, position) {
  if (/^impossible: .+; .+/.test(cell)) return count.impossible++
  const links = [...cell.matchAll(/\[([^\]]+)\]\(([^)]+)\)/g)]
  if (links.length === 0) {
    count.missing++
    if (!/^not yet: .+/.test(cell))
      problems.push(`${position}: "${cell}" links no test, and is not impossible`)
    return undefined
  }
  count.works++
  for (const [, title, path] of links) {
    const file = join(dirname(page), path)
    if (!existsSync(file)) problems.push(`${position}: there is no file ${path}`)
    else if (!hasTest(readFileSync(file, 'utf8'), title)) {
      problems.push(`${position}: ${path} has no test called ${title}`)
    }
  }
  return undefined
}

const rowsBy = listed()
const declaredBy = declarations()
for (const [heading, methods] of declaredBy) {
  if (methods.size === 0) problems.push(`Drizzle declares nothing called ${heading}`)
  const rows = rowsBy.get(heading) ?? []
  const names = new Set(rows.map(({ method }) => method))
  for (const method of methods)
    if (!names.has(method)) problems.push(`${heading}.${method} is not in the list`)
  for (const { method, line } of rows) {
    if (!methods.has(method)) problems.push(`line ${line}: Drizzle has no ${heading}.${method}`)
  }
}
for (const [heading, rows] of rowsBy) {
  if (!declaredBy.has(heading)) problems.push(`The list has a heading ${heading} that nothing declares`)
  const seen = new Set()
  for (const { method, line, cells } of rows) {
    if (seen.has(method)) problems.push(`line ${line}: ${heading}.${method} is in the list twice`)
    seen.add(method)
    DIALECTS.forEach((dialect, at) => checkCell(cells[at] ?? '', counts[dialect], `line ${line}, ${dialect}`))
  }
}
for (const dialect of DIALECTS) {
  const { works, impossible, missing } = counts[dialect]
  const share = works / (works + missing)
  console.log(
    `${dialect}: ${works} work, ${impossible} are impossible on Spanner, ${missing} are missing: ${(share * 100).toFixed(1)} % of what is possible`,
  )
  if (!(share >= MIN)) problems.push(`${dialect}: less than ${MIN * 100} % of what is possible works`)
}
for (const problem of problems) console.error(problem)
process.exitCode = problems.length > 0 ? 1 : 0
