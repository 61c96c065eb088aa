import { IsothermError, SchemaError } from '@isotherm/core'
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, it } from 'vitest'
import { CommandError, failureOf } from '../src/command-error.js'
import { loadEngine } from '../src/config/engines.js'
import { listedEngines } from '../src/engines.js'

it.each([
  [
    new CommandError('CONFIG', 'What.', { fix: 'Fix.' }),
    { code: 'CONFIG', message: 'What.', fix: 'Fix.', exitCode: 2 },
  ],
  [new CommandError('REFUSED', 'What.'), { code: 'REFUSED', message: 'What.', exitCode: 1 }],
  [new CommandError('CANCELLED', 'What.'), { code: 'CANCELLED', message: 'What.', exitCode: 130 }],
  [
    new IsothermError('UNAVAILABLE', 'Gone.', { fix: 'Wait.' }),
    { code: 'UNAVAILABLE', message: 'Gone.', fix: 'Wait.', exitCode: 3 },
  ],
  [
    new IsothermError('MIGRATION_LOCKED', 'Another.'),
    { code: 'MIGRATION_LOCKED', message: 'Another.', exitCode: 3 },
  ],
  [
    new IsothermError('MIGRATION_CHANGED', 'Edited.'),
    { code: 'MIGRATION_CHANGED', message: 'Edited.', exitCode: 1 },
  ],
  [
    new IsothermError('MIGRATION_INVALID', 'Bad.'),
    { code: 'MIGRATION_INVALID', message: 'Bad.', exitCode: 2 },
  ],
  [new IsothermError('INVALID_QUERY', 'Bad.'), { code: 'INVALID_QUERY', message: 'Bad.', exitCode: 2 }],
  [new IsothermError('CANCELLED', 'Stopped.'), { code: 'CANCELLED', message: 'Stopped.', exitCode: 130 }],
])('failureOf() returns code, message, fix and exit code of %s', (error, failure) => {
  const docs = error instanceof IsothermError ? { docs: error.docs } : {}
  expect(failureOf(error)).toEqual({ ...failure, ...docs })
})

it('failureOf() includes every finding of a SchemaError', () => {
  const findings = [{ table: 'T', message: 'has no key.', fix: 'Give it one.' }]
  expect(failureOf(new SchemaError(findings))).toMatchObject({
    code: 'SCHEMA_INVALID',
    exitCode: 1,
    details: { findings },
  })
})

it.each([
  ['@google-cloud/spanner', '@google-cloud/spanner'],
  ['cassandra-driver', 'cassandra-driver'],
  ['@isotherm/core', '@isotherm/core'],
  ['@isotherm/spanner', '@isotherm/spanner @google-cloud/spanner'],
  ['@isotherm/cassandra', '@isotherm/cassandra cassandra-driver'],
  ['@isotherm/migrations', '--save-dev @isotherm/migrations'],
])(
  'failureOf() reports NOT_INSTALLED and the npm install command when the package %s is missing',
  (name, installed) => {
    const imported = `Cannot find package '${name}' imported from /x.js`
    const required = `Cannot find module '${name}'\nRequire stack:\n- /x.cjs`
    for (const [message, code] of [
      [imported, 'ERR_MODULE_NOT_FOUND'],
      [required, 'MODULE_NOT_FOUND'],
    ] as const)
      expect(failureOf(Object.assign(new Error(message), { code }))).toMatchObject({
        code: 'NOT_INSTALLED',
        message: `The package ${name} is not installed here.`,
        fix: `Install it: npm install ${installed}`,
        exitCode: 2,
      })
  },
)

it('failureOf() reports UNEXPECTED when a file of an installed package is missing', () => {
  const from = createRequire(import.meta.url)
  const failure = (specifier: string): unknown => {
    try {
      return from(specifier)
    } catch (error) {
      return failureOf(error)
    }
  }
  expect(failure('@google-cloud/spanner/build/src/gone.js')).toMatchObject({
    code: 'UNEXPECTED',
    message: expect.stringContaining("Cannot find module '@google-cloud/spanner/build/src/gone.js'"),
  })
})

it('failureOf() reports missing Google Cloud credentials with exit code 3', async () => {
  await loadEngine(listedEngines[0]!)
  expect(failureOf(new Error('Could not load the default credentials. Browse to …'))).toMatchObject({
    message: 'There are no credentials for Google Cloud.',
    exitCode: 3,
  })
})

it.each([
  [() => writeFileSync('/dev/null/migration.sql', ''), 'a part of its path is not a folder (ENOTDIR)'],
  [() => writeFileSync('/nowhere/migration.sql', ''), 'there is no such file or folder (ENOENT)'],
  [() => readFileSync('/'), 'it is a folder (EISDIR)'],
])('failureOf() reports FILES and explains the file system error of %s', (access, what) => {
  let error: unknown
  try {
    access()
  } catch (thrown) {
    error = thrown
  }
  expect(failureOf(error)).toMatchObject({ code: 'FILES', exitCode: 2 })
  expect(failureOf(error).message).toContain(what)
})

it('failureOf() reports UNEXPECTED for an EACCES error of a connection', () => {
  const error = Object.assign(new Error('connect EACCES'), { code: 'EACCES', syscall: 'connect' })
  expect(failureOf(error)).toMatchObject({ code: 'UNEXPECTED', exitCode: 3 })
})

it('failureOf() reports UNEXPECTED for unknown errors and thrown strings', () => {
  expect(failureOf(new TypeError('x is not a function'))).toMatchObject({ code: 'UNEXPECTED', exitCode: 3 })
  expect(failureOf('thrown text')).toMatchObject({ code: 'UNEXPECTED', message: 'thrown text' })
})
