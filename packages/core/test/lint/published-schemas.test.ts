import { readFileSync } from 'node:fs'
import { lint } from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { rules } from '../../src/lint/run.js'
import { published } from './support/published.js'

const index = readFileSync(new URL('../../../../docs/lint/README.md', import.meta.url), 'utf8')

const NAMES = { googlesql: 'GoogleSQL', 'spanner-postgresql': 'PostgreSQL' }

const cases = published.flatMap((each) =>
  each.dialects.map((dialect) => ({ ...each, dialect, title: `${each.name}, ${dialect}` })),
)

describe('a schema that is published', () => {
  it.each(cases)('$title', ({ schema, dialect, ours, theirs, why }) => {
    const found = lint(schema, { dialect })
    expect(found.map(({ rule, severity }) => `${rule} ${severity}`)).toStrictEqual(ours)
    // Where the documentation advises against a schema, so do we. Where it does not, and we do, there is a reason.
    expect(theirs === 'good' || ours.join().includes('error')).toBe(true)
    expect(theirs === 'good' && ours.length > 0).toBe(why !== undefined)
  })

  it('stands with both verdicts in the documentation', () => {
    const rows = published.map(({ name, page, dialects, theirs, ours, why }) => {
      const [file] = page.split('/').slice(-1)
      const links = ours.map((each) => each.replace(/^(\S+) (\S+)$/, '[$1]($1.md) ($2)'))
      const verdict = ours.length === 0 ? 'good' : links.join(', ') + (why === undefined ? '' : `: ${why}`)
      const where = dialects.length === 2 ? 'both' : NAMES[dialects[0]!]
      return `| ${name} | ${where} | [${file}](https://cloud.google.com/spanner/docs/${page}) | ${theirs} | ${verdict} |`
    })
    expect(index).toContain(rows.join('\n'))
  })
})

describe('the index of the rules', () => {
  it('has each of them in order, with its severity', () => {
    const listed = [...index.matchAll(/^\| \[([a-z-]+)\]\(\1\.md\) \| (error|warning) \|/gm)]
    expect(listed.map(([, name, severity]) => `${name} ${severity}`)).toStrictEqual(
      rules.map(({ name, severity }) => `${name} ${severity}`),
    )
  })
})
