import { lintRules } from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { configProblems as problemsOf } from '../../src/config/check-config.js'

const configProblems = (config: unknown): readonly string[] => problemsOf(config, lintRules)

const whole = {
  dialect: 'googlesql',
  schema: ['./src/models/*.ts', './src/more.ts'],
  out: './migrations',
  database: { project: 'p', instance: 'i', database: 'd', emulatorHost: 'localhost:9010' },
  historyTable: 'Applied',
  drizzle: { casing: 'snake_case', namespaces: ['archive'], changeStreams: [{ name: 'All', watch: 'all' }] },
  lint: {
    severity: { 'redundant-index': 'off' },
    except: [{ table: 'Log', rule: 'monotonic-first-key', on: 'at', reason: 'ten rows a day' }],
  },
}

describe('a configuration', () => {
  it.each([
    ['all keys', whole],
    ['a history table in a named schema', { ...whole, historyTable: 'admin.applied' }],
    ['the dialect alone', { dialect: 'spanner-postgresql' }],
    ['a database by its name', { dialect: 'googlesql', database: 'projects/p/instances/i/databases/d' }],
    ['a function for the database', { dialect: 'googlesql', database: () => undefined }],
    [
      'a keyspace by its parts',
      {
        dialect: 'cql',
        target: 'keyspaces',
        database: { keyspace: 'blog', region: 'eu-west-1', auth: 'sigv4', tls: true, port: 9142 },
      },
    ],
    [
      'a keyspace by its URL',
      { dialect: 'cql', database: 'cassandra://10.0.0.1:9043,[::1]/blog?dc=datacenter1' },
    ],
    ['keys that are undefined', { dialect: 'googlesql', schema: undefined }],
  ])('takes %s', (_, config) => {
    expect(configProblems(config)).toEqual([])
  })

  it.each([
    ['no object', 'text', 'The configuration is "text", and not an object.'],
    ['no dialect', {}, 'dialect is missing.'],
    [
      'a misspelt dialect',
      { dialect: 'google-sql' },
      'dialect is "google-sql", and not one of googlesql, spanner-postgresql, cql. Did you mean googlesql?',
    ],
    ['a misspelt key', { ...whole, shema: 'x' }, 'shema is no key. Did you mean schema?'],
    [
      'a key that is like none',
      { ...whole, credentials: 'x' },
      'credentials is no key. Known are dialect, target, schema, out, database, historyTable, drizzle, lint.',
    ],
    [
      'a password',
      { dialect: 'cql', database: { keyspace: 'blog', password: 'x' } },
      'database.password is no key. A password is not for a file: set ISOTHERM_CASSANDRA_USER and ISOTHERM_CASSANDRA_PASSWORD.',
    ],
    [
      'a key that every object has',
      { ...whole, toString: 'x' },
      'toString is no key. Known are dialect, target, schema, out, database, historyTable, drizzle, lint.',
    ],
    ['an empty text', { ...whole, out: '' }, 'out is "", and not a text.'],
    ['a number for a text', { ...whole, out: 5 }, 'out is 5, and not a text.'],
    ['an empty list', { ...whole, schema: [] }, 'schema is [], and not a text or a list of texts.'],
    ['a wrong item of a list', { ...whole, schema: ['a', null] }, 'schema[1] is null, and not a text.'],
    [
      'half a name',
      { ...whole, database: 'orders' },
      'database is "orders", and not of the form projects/…/instances/…/databases/….',
    ],
    [
      'a part that is missing',
      { ...whole, database: { project: 'p', instance: 'i' } },
      'database.database is missing.',
    ],
    [
      'a misspelt part',
      { ...whole, database: { project: 'p', instance: 'i', database: 'd', emulatorhost: 'x' } },
      'database.emulatorhost is no key. Did you mean emulatorHost?',
    ],
    [
      'another target',
      { dialect: 'cql', target: 'aws' },
      'target is "aws", and not one of cassandra, keyspaces.',
    ],
    [
      'a port that is none',
      { dialect: 'cql', database: { keyspace: 'blog', port: '9042' } },
      'database.port is "9042", and not a port.',
    ],
    [
      'a password in a file',
      { dialect: 'cql', database: 'cassandra://root:secret@host/blog?dc=dc1' },
      'database is "cassandra://…@host/blog?dc=dc1", and holds a password: that is for ISOTHERM_CASSANDRA_PASSWORD.',
    ],
    [
      'another severity',
      { ...whole, lint: { severity: { 'key-limits': 'warn' } } },
      'lint.severity.key-limits is "warn", and not one of error, warning, off.',
    ],
    [
      'a misspelt rule',
      { ...whole, lint: { severity: { 'redundant-indx': 'off' } } },
      'lint.severity.redundant-indx is no key. Did you mean redundant-index?',
    ],
    [
      'an exception from a misspelt rule',
      { ...whole, lint: { except: [{ table: 'T', rule: 'key-limit', reason: 'small' }] } },
      `lint.except[0].rule is "key-limit", and not one of ${lintRules.join(', ')}. Did you mean key-limits?`,
    ],
    [
      'a history table that is no name',
      { ...whole, historyTable: 'a b;' },
      'historyTable is "a b;", and not the name of a table: letters, digits and underscores, a letter first.',
    ],
    [
      'a casing that Drizzle has not',
      { ...whole, drizzle: { casing: 'snakecase' } },
      'drizzle.casing is "snakecase", and not one of snake_case, camelCase. Did you mean snake_case?',
    ],
    [
      'a change stream without a name',
      { ...whole, drizzle: { changeStreams: [{ watch: 'all' }] } },
      'drizzle.changeStreams[0].name is undefined, and not a text.',
    ],
    [
      'an exception without a reason',
      { ...whole, lint: { except: [{ table: 'T', rule: 'key-limits' }] } },
      'lint.except[0].reason is missing.',
    ],
  ])('refuses %s', (_, config, problem) => {
    expect(configProblems(config)).toEqual([problem])
  })

  it('is told everything that is wrong with it', () => {
    expect(configProblems({ out: 1, lint: [] })).toEqual([
      'dialect is missing.',
      'out is 1, and not a text.',
      'lint is [], and not an object.',
    ])
  })
})
