import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { root } from './pages.mjs'
import { check } from './plan.mjs'

/** Shared rules, and those of each engine, whose pages are in a folder of its name. */
const RULES = {
  'docs/lint': 'packages/core/src/lint/rules',
  'docs/lint/spanner': 'packages/spanner/src/lint/rules',
  'docs/lint/cassandra': 'packages/cassandra/src/lint/rules',
}
const ERRORS = 'packages/core/src/errors.ts'
const INDEX = 'docs/README.md'
/** What the page of a rule tells. */
const PARTS = [
  'Why',
  'In production',
  'Before',
  'After',
  'When to suppress it',
  'What it does not see',
  'Sources',
]
const RULE_INDEX = 'docs/lint/README.md'
const ERROR_TABLE = 'docs/reference/errors.md'

/** What has to be documented: each lint rule on a page, each error code in the table, each page in the index. */
export function coverageChecks(pages) {
  return [
    ...rulesWithoutPages(pages),
    ...pagesOutsideIndex(pages),
    check('error codes, in the table', codesOutsideTable()),
  ]
}

function rulesWithoutPages(pages) {
  return Object.entries(RULES).flatMap(([folder, sources]) => {
    const rules = new Set(readdirSync(join(root, sources)).map((file) => basename(file, '.ts')))
    const documented = new Set(
      pages.flatMap(({ path }) =>
        dirname(path) === folder && path !== RULE_INDEX ? [basename(path, '.md')] : [],
      ),
    )
    return [...new Set([...rules, ...documented])].map((rule) => {
      const page = `${folder}/${rule}.md`
      if (!documented.has(rule))
        return check('lint rules, on a page', [`${sources}/${rule}.ts: ${page} is missing.`])
      if (!rules.has(rule)) return check('lint rules, on a page', [`${page}:1: there is no such rule.`])
      const text = readFileSync(join(root, page), 'utf8')
      return check(
        'lint rules, on a page',
        PARTS.filter((part) => !text.includes(`\n## ${part}\n`)).map(
          (part) => `${page}:1: has no part "${part}".`,
        ),
      )
    })
  })
}

function pagesOutsideIndex(pages) {
  const index = pages.find(({ path }) => path === INDEX)
  const linked = new Set(
    index?.links.map(({ target }) => relative(root, join(root, dirname(INDEX), target.split('#')[0]))),
  )
  return pages
    .filter(({ path }) => /^docs\/(guide|lint|reference)\//.test(path))
    .map(({ path }) =>
      check('pages, in the index', linked.has(path) ? [] : [`${INDEX}:1: does not link to ${path}.`]),
    )
}

function codesOutsideTable() {
  if (!existsSync(join(root, ERROR_TABLE))) return [`${ERROR_TABLE} is missing.`]
  const declared = [...readFileSync(join(root, ERRORS), 'utf8').matchAll(/^ {2}\| '([A-Z_]+)'/gm)].map(
    ([, code]) => code,
  )
  const page = readFileSync(join(root, ERROR_TABLE), 'utf8')
  const shown = [...page.matchAll(/^\| <a id="[a-z_]+"><\/a>`([A-Z_]+)`/gm)].map(([, code]) => code)
  return [
    ...declared
      .filter((code) => !shown.includes(code))
      .map((code) => `${ERROR_TABLE}:1: the table lacks ${code}.`),
    ...shown
      .filter((code) => !declared.includes(code))
      .map((code) => `${ERROR_TABLE}:1: there is no code ${code}.`),
  ]
}
