import { types, type Client } from 'cassandra-driver'

/** What the client's typings leave out of its nodes. */
interface Node {
  readonly address: string
  isUp(): boolean
}

/**
 * Whether all nodes that are up have the same schema. The client's own answer counts those that are down as well, and would
 * say no for as long as they are.
 *
 * @param host who is asked: it has to be one, since each knows the others by hearsay
 */
export async function schemaAgrees(client: Client): Promise<boolean> {
  const nodes = client.hosts.values() as unknown as readonly Node[]
  const host = nodes.find((node) => node.isUp())
  if (!host) return false
  const ask = (text: string) =>
    client.execute(text, [], { host: host as never, consistency: types.consistencies.one })
  const [own, others] = await Promise.all([
    ask("SELECT schema_version FROM system.local WHERE key = 'local'"),
    ask('SELECT rpc_address, schema_version FROM system.peers'),
  ])
  const down = new Set(nodes.filter((node) => !node.isUp()).map((node) => node.address.replace(/:\d+$/, '')))
  const versions = new Set(own.rows.map((row) => String(row['schema_version'])))
  for (const row of others.rows) {
    if (!down.has(String(row['rpc_address']))) versions.add(String(row['schema_version']))
  }
  return versions.size === 1
}
