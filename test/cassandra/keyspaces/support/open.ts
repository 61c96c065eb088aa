import type { Driver } from '@isotherm/core'
import type { CqlDialect } from '@isotherm/cassandra'
import { cassandra, keyspacesCql, type CassandraOptions } from '@isotherm/cassandra'
import { keyspacesClientOptions, type KeyspacesOptions } from '@isotherm/cassandra/keyspaces'
import { Client } from 'cassandra-driver'
import { KeyspacesServer, type KeyspacesServerOptions } from './server.js'

export const region = 'eu-west-1'
export const credentials = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
}

export interface Opened extends AsyncDisposable {
  readonly server: KeyspacesServer
  readonly client: Client
  readonly driver: Driver
}

/** What a test has otherwise than usual. */
export interface OpenOptions {
  readonly server?: Partial<KeyspacesServerOptions>
  readonly client?: Partial<KeyspacesOptions>
  readonly driver?: Partial<CassandraOptions>
  readonly dialect?: CqlDialect
}

/** A server, and a driver of a client that may sign in to it; not signed in yet. */
export async function openKeyspaces(options: OpenOptions = {}): Promise<Opened> {
  const { accessKeyId, ...keys } = credentials
  const server = await KeyspacesServer.start({
    region,
    keys: new Map([[accessKeyId, keys]]),
    ...options.server,
  })
  const client = new Client({
    ...keyspacesClientOptions({
      region,
      keyspace: 'blog',
      credentials,
      ca: server.ca,
      port: server.port,
      ...options.client,
    }),
    // The name of the endpoint leads to AWS; its certificate is asked for all the same.
    contactPoints: ['127.0.0.1'],
  })
  const driver = cassandra(client, { dialect: options.dialect ?? keyspacesCql, ...options.driver })
  return {
    server,
    client,
    driver,
    async [Symbol.asyncDispose]() {
      await client.shutdown().catch(() => {})
      await server.stop()
    },
  }
}
