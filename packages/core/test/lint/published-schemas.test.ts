import { readFileSync } from 'node:fs'
import { lint } from '@isotherm/core'
import { cql } from '@isotherm/cassandra'
import { googlesql } from '@isotherm/spanner'
import { describe, expect, it } from 'vitest'
import { published } from './support/published.js'

const index = readFileSync(new URL('../../../../docs/lint/README.md', import.meta.url), 'utf8')

const NAMES = { googlesql: 'GoogleSQL', 'spanner-postgresql': 'PostgreSQL' }

const cases = published.flatMap((each) =>
  each.dialects.map((dialect) => ({ ...each, dialect, title: `${each.name}, ${dialect.name}` })),
)

describe('lint() of schemas that the Spanner documentation publishes', () => {
  it.each(cases)(
    'reports the expected findings for the published schema $title',
    ({ schema, dialect, ours, theirs, why }) => {
      const found = lint(schema, { dialect })
      expect(found.map(({ rule, severity }) => `${rule} ${severity}`)).toStrictEqual(ours)
      // If the documentation advises against a schema, lint reports an error. If only lint reports a finding, `why` states the reason.
      expect(theirs === 'good' || ours.join().includes('error')).toBe(true)
      expect(theirs === 'good' && ours.length > 0).toBe(why !== undefined)
    },
  )

  it('docs/lint/README.md lists each published schema with the verdicts of the documentation and of lint', () => {
    const rows = published.map(({ name, page, dialects, theirs, ours, why }) => {
      const [file] = page.split('/').slice(-1)
      const links = ours.map((each) => each.replace(/^(\S+) (\S+)$/, '[$1]($1.md) ($2)'))
      const verdict = ours.length === 0 ? 'good' : links.join(', ') + (why === undefined ? '' : `: ${why}`)
      const where = dialects.length === 2 ? 'both' : NAMES[dialects[0]!.name]
      return `| ${name} | ${where} | [${file}](https://cloud.google.com/spanner/docs/${page}) | ${theirs} | ${verdict} |`
    })
    expect(index).toContain(rows.join('\n'))
  })
})

describe('docs/lint/README.md', () => {
  it('lists the shared rules and the rules of each engine, in the order of the code and with their severities', () => {
    const listed = [...index.matchAll(/^\| \[([a-z/-]+)\]\(\1\.md\) \| (error|warning) \|/gm)]
    const { rules } = googlesql.lint
    const all = [
      ...rules.filter(({ name }) => !name.includes('/')),
      ...[...rules, ...cql.lint.rules].filter(({ name }) => name.includes('/')),
    ]
    expect(listed.map(([, name, severity]) => `${name} ${severity}`)).toStrictEqual(
      all.map(({ name, severity }) => `${name} ${severity}`),
    )
  })
})
