import { EventEmitter } from 'node:events'
import type { Database } from '@google-cloud/spanner'
import type { Driver } from '@isotherm/core'
import { cassandra, cql } from '@isotherm/cassandra'
import { spanner, spannerPostgresql, spannerPostgresqlRuntime } from '@isotherm/spanner'
import { Client } from 'cassandra-driver'
import { describe, expect, it } from 'vitest'
import type { OpenDatabaseClient } from '../../src/config/config.js'
import { settingsFrom } from '../../src/config/settings.js'
import { exitCodes } from '../../src/command-error.js'
import { type Connection, connect } from '../../src/project/connection.js'
import { type DialectName, listedEngines } from '../../src/engines.js'

async function connected(dialect: DialectName, database: OpenDatabaseClient): Promise<Connection> {
  const loaded = {
    config: { dialect, database },
    path: undefined,
    directory: '/shop',
    engines: listedEngines,
  }
  const settings = await settingsFrom({ options: {}, environment: {}, loaded, directory: '/shop' })
  return connect({ settings }, 'refuse')
}

/** A driver whose dialect is known once its database has answered. */
function undecidedDriver(answered: Driver): Driver {
  const decide = (): Promise<Driver> => Promise.resolve(answered)
  return {
    name: 'Cloud Spanner',
    applyDdl: answered.applyDdl,
    lacks: answered.lacks,
    undecided: { candidates: [answered], decide },
    get dialect(): never {
      throw new Error('The dialect of the database is not known yet.')
    },
  } as unknown as Driver
}

/** A database object without a server: these tests do not send requests. */
const database = Object.assign(new EventEmitter(), {
  formattedName_: 'projects/p/instances/i/databases/d',
  runTransactionAsync: () => Promise.reject(new Error('not called')),
}) as unknown as Database

describe('connect() with a database function', () => {
  const client = new Client({
    contactPoints: ['127.0.0.1'],
    localDataCenter: 'dc1',
    keyspace: 'blog',
    encoding: { useBigIntAsLong: true, map: Map, set: Set },
  })
  const ofPostgresql = spanner(database, { dialect: spannerPostgresql })

  it('accepts a driver whose dialect is known only after the database has answered', async () => {
    const { driver } = await connected('spanner-postgresql', () => undecidedDriver(ofPostgresql))
    expect(driver.dialect).toBe(spannerPostgresqlRuntime)
  })

  it.each<[string, DialectName, () => Driver]>([
    ['spanner-postgresql', 'cql', () => ofPostgresql],
    ['spanner-postgresql', 'googlesql', () => undecidedDriver(ofPostgresql)],
    ['cql', 'keyspaces-cql', () => cassandra(client, { dialect: cql })],
  ])('throws CONFIG for a driver of %s when the configured dialect is %s', async (of, dialect, open) => {
    await expect(connected(dialect, open)).rejects.toMatchObject({
      code: 'CONFIG',
      exitCode: exitCodes.usage,
      message: `The dialect is set to ${dialect}, but the driver that the function database returned is of ${of}.`,
      fix: `Set dialect: '${of}', or return a driver of ${dialect}.`,
    })
  })

  it.each([undefined, null, 5, 'projects/p', {}, [], () => ofPostgresql])(
    'throws CONFIG when the function returns %s',
    async (value) => {
      await expect(connected('googlesql', () => value as unknown as Driver)).rejects.toMatchObject({
        code: 'CONFIG',
        exitCode: exitCodes.usage,
        message: 'The function database returned something that is not a database.',
      })
    },
  )
})
