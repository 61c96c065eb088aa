import { IsothermError, SchemaError } from '@isotherm/core'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const PAGE = 'https://github.com/isotherm-orm/isotherm/blob/main/docs/reference/errors.md'

it.each([
  [new IsothermError('ALREADY_EXISTS', 'What.'), 'already_exists'],
  [new SchemaError([{ table: 'T', message: 'has no key.', fix: 'Add one.' }]), 'schema_invalid'],
])('%s links to the row of its code in docs/reference/errors.md', (error, anchor) => {
  expect(error.docs).toBe(`${PAGE}#${anchor}`)
  const page = new URL('../../../docs/reference/errors.md', import.meta.url)
  expect(readFileSync(page, 'utf8')).toContain(`| <a id="${anchor}"></a>\`${error.code}\` |`)
  // Not an own property: it would be printed with every error.
  expect(Object.keys(error)).not.toContain('docs')
})
