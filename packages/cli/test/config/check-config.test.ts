import { describe, expect, it } from 'vitest'
import { configProblems as problemsOf } from '../../src/config/load-config.js'
import { keyspacesCql } from '@isotherm/cassandra/dialects'
import { googlesql } from '@isotherm/spanner'
import { ruleNames } from '../../src/config/engines.js'
import { listedEngines } from '../../src/engines.js'

const rules = await ruleNames([], listedEngines)
const configProblems = (config: unknown): Promise<readonly string[]> => problemsOf(config, listedEngines)

const whole = {
  dialect: 'googlesql',
  schema: ['./src/models/*.ts', './src/more.ts'],
  out: './migrations',
  database: { project: 'p', instance: 'i', database: 'd', emulatorHost: 'localhost:9010' },
  historyTable: 'Applied',
  drizzle: { casing: 'snake_case', namespaces: ['archive'], changeStreams: [{ name: 'All', watch: 'all' }] },
  lint: {
    severity: { 'redundant-index': 'off' },
    suppress: [{ table: 'Log', rule: 'monotonic-first-key', on: 'at', reason: 'ten rows a day' }],
  },
}

describe('configProblems()', () => {
  it.each([
    ['all keys', whole],
    ['a history table in a named schema', { ...whole, historyTable: 'admin.applied' }],
    ['only a dialect', { dialect: 'spanner-postgresql' }],
    ['the name of a database', { dialect: 'googlesql', database: 'projects/p/instances/i/databases/d' }],
    ['a database function', { dialect: 'googlesql', database: () => undefined }],
    [
      'a keyspace by its parts',
      {
        dialect: 'keyspaces-cql',
        database: { keyspace: 'blog', region: 'eu-west-1', auth: 'sigv4', tls: true, port: 9142 },
      },
    ],
    [
      'a keyspace by its URL',
      { dialect: 'cql', database: 'cassandra://10.0.0.1:9043,[::1]/blog?dc=datacenter1' },
    ],
    [
      'the URL of a keyspace of Keyspaces',
      { dialect: 'keyspaces-cql', database: 'keyspaces:///blog?region=eu-west-1' },
    ],
    ['keys that are undefined', { dialect: 'googlesql', schema: undefined }],
  ])('accepts a configuration with %s', async (_, config) => {
    expect(await configProblems(config)).toEqual([])
  })

  it.each([
    ['a configuration that is not an object', 'text', 'The configuration is "text", not an object.'],
    ['a missing dialect', {}, 'dialect is missing.'],
    [
      'a misspelt dialect',
      { dialect: 'google-sql' },
      'dialect is "google-sql", not one of googlesql, spanner-postgresql, cql, keyspaces-cql, postgresql. Did you mean googlesql?',
    ],
    [
      'a Spanner dialect object instead of a dialect name',
      { dialect: googlesql },
      "dialect is the dialect googlesql itself. Give its name: dialect: 'googlesql'.",
    ],
    [
      'a Cassandra dialect object instead of a dialect name',
      { dialect: keyspacesCql },
      "dialect is the dialect keyspaces-cql itself. Give its name: dialect: 'keyspaces-cql'.",
    ],
    ['a bigint instead of a string', { ...whole, out: 5n }, 'out is 5n, not a string.'],
    ['a misspelt key', { ...whole, shema: 'x' }, 'shema is not a known key. Did you mean schema?'],
    [
      'an unknown key without a similar known key',
      { ...whole, credentials: 'x' },
      'credentials is not a known key. Known are engine, dialect, schema, tsconfig, out, database, historyTable, drizzle, lint.',
    ],
    [
      'a password among the parts of a keyspace',
      { dialect: 'cql', database: { keyspace: 'blog', password: 'x' } },
      'database.password is not a known key. Do not write a password into a file: set ISOTHERM_CASSANDRA_USER and ISOTHERM_CASSANDRA_PASSWORD.',
    ],
    [
      'an unknown key that every object inherits',
      { ...whole, toString: 'x' },
      'toString is not a known key. Known are engine, dialect, schema, tsconfig, out, database, historyTable, drizzle, lint.',
    ],
    ['an empty string', { ...whole, out: '' }, 'out is "", not a string.'],
    ['a number instead of a string', { ...whole, out: 5 }, 'out is 5, not a string.'],
    ['an empty list', { ...whole, schema: [] }, 'schema is [], not a string or a list of strings.'],
    ['an invalid item of a list', { ...whole, schema: ['a', null] }, 'schema[1] is null, not a string.'],
    [
      'an incomplete database name',
      { ...whole, database: 'orders' },
      'database is "orders", and not of the form projects/…/instances/…/databases/….',
    ],
    [
      'a missing part of the database',
      { ...whole, database: { project: 'p', instance: 'i' } },
      'database.database is missing.',
    ],
    [
      'a misspelt part of the database',
      { ...whole, database: { project: 'p', instance: 'i', database: 'd', emulatorhost: 'x' } },
      'database.emulatorhost is not a known key. Did you mean emulatorHost?',
    ],
    [
      'the removed key target',
      { dialect: 'cql', target: 'keyspaces' },
      'target is not a known key. Known are engine, dialect, schema, tsconfig, out, database, historyTable, drizzle, lint.',
    ],
    [
      'an invalid port',
      { dialect: 'cql', database: { keyspace: 'blog', port: '9042' } },
      'database.port is "9042", not a port.',
    ],
    [
      'an invalid contact point',
      { dialect: 'cql', database: { keyspace: 'blog', contactPoints: ['10.0.0.1', 'bad host:99999'] } },
      'database.contactPoints[1] is "bad host:99999", not a host.',
    ],
    [
      'an invalid keyspace name',
      { dialect: 'cql', database: { keyspace: 'k-3; DROP' } },
      'database.keyspace is "k-3; DROP", not a keyspace: that has letters, digits and underscores, up to 48.',
    ],
    [
      'an unknown AWS region',
      { dialect: 'keyspaces-cql', database: { keyspace: 'blog', region: 'nowhere' } },
      'database.region is "nowhere", not a region of AWS, such as eu-west-1.',
    ],
    [
      'an unknown AWS region in a URL',
      { dialect: 'keyspaces-cql', database: 'keyspaces:///blog?region=nowhere' },
      'database is "keyspaces:///blog?region=nowhere", and its region "nowhere" is not a region of AWS, such as eu-west-1.',
    ],
    [
      'an empty list of contact points',
      { dialect: 'keyspaces-cql', database: { keyspace: 'blog', contactPoints: [] } },
      'database.contactPoints is [], and has no host. Remove it to use the endpoint of the region.',
    ],
    [
      'a password in a database URL',
      { dialect: 'cql', database: 'cassandra://root:secret@host/blog?dc=dc1' },
      'database is "cassandra://…@host/blog?dc=dc1", and contains a password: set ISOTHERM_CASSANDRA_PASSWORD instead.',
    ],
    [
      'an unknown severity',
      { ...whole, lint: { severity: { 'spanner/key-limits': 'warn' } } },
      'lint.severity.spanner/key-limits is "warn", not one of error, warning, off.',
    ],
    [
      'a misspelt rule',
      { ...whole, lint: { severity: { 'redundant-indx': 'off' } } },
      'lint.severity.redundant-indx is not a known key. Did you mean redundant-index?',
    ],
    [
      'a suppression of a misspelt rule',
      { ...whole, lint: { suppress: [{ table: 'T', rule: 'key-limit', reason: 'small' }] } },
      `lint.suppress[0].rule is "key-limit", not one of ${rules.join(', ')}. Did you mean spanner/key-limits?`,
    ],
    [
      'an invalid name of the history table',
      { ...whole, historyTable: 'a b;' },
      'historyTable is "a b;", not the name of a table: letters, digits and underscores, a letter first.',
    ],
    [
      'a casing that Drizzle does not have',
      { ...whole, drizzle: { casing: 'snakecase' } },
      'drizzle.casing is "snakecase", not one of snake_case, camelCase. Did you mean snake_case?',
    ],
    [
      'a change stream without a name',
      { ...whole, drizzle: { changeStreams: [{ watch: 'all' }] } },
      'drizzle.changeStreams[0].name is undefined, not a string.',
    ],
    [
      'a suppression of a rule without its engine prefix',
      { ...whole, lint: { suppress: [{ table: 'T', rule: 'allow-filtering', reason: 'small' }] } },
      `lint.suppress[0].rule is "allow-filtering", not one of ${rules.join(', ')}. Did you mean cassandra/allow-filtering?`,
    ],
    [
      'a rule with a misspelt prefix',
      { ...whole, lint: { severity: { 'spaner/key-limits': 'off' } } },
      'lint.severity.spaner/key-limits is not a known key. Did you mean spanner/key-limits?',
    ],
    [
      'a suppression without a reason',
      { ...whole, lint: { suppress: [{ table: 'T', rule: 'spanner/key-limits' }] } },
      'lint.suppress[0].reason is missing.',
    ],
  ])('reports one problem for %s', async (_, config, problem) => {
    expect(await configProblems(config)).toEqual([problem])
  })

  it('reports every problem of a configuration', async () => {
    expect(await configProblems({ out: 1, lint: [] })).toEqual([
      'dialect is missing.',
      'out is 1, not a string.',
      'lint is [], not an object.',
    ])
  })

  it('shortens long and circular values in its messages to less than 240 characters', async () => {
    const circle: Record<string, unknown> = {}
    circle['self'] = circle
    const long = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`key${at}`, at]))
    const problems = await configProblems({
      dialect: 'x'.repeat(5000),
      schema: long,
      out: circle,
      database: `projects/${'p'.repeat(5000)}`,
      historyTable: [1n, 2n],
      lint: { suppress: long },
    })
    expect(problems).toHaveLength(6)
    for (const problem of problems) expect(problem.length).toBeLessThan(240)
  })
})
