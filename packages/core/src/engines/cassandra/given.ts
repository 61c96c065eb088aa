import { IsothermError } from '../../errors.js'
import { WayRefused } from '../resolve.js'
import { withinTime } from '../time-limit.js'
import { closeCassandra, driverMessage, probeCassandra } from './driver.js'
import type { CassandraRequest, RunningCassandra } from './way.js'

const variable = 'CASSANDRA_CONTACT_POINTS'

/** The cluster that the caller or the environment names; it is the user's, and is never ended. */
export async function cassandraOfGiven(request: CassandraRequest): Promise<RunningCassandra> {
  const { contactPoints, nodes: asked, clientOptions, timeoutMs = 10_000, signal } = request
  if (contactPoints.length === 0)
    throw new WayRefused(`no contact points are given, and ${variable} is not set.`)
  const named = contactPoints.join(', ')
  const { hosts, localDataCenter, version, known } = await look().catch((error: unknown) => {
    if (error instanceof IsothermError) throw error
    throw new WayRefused(`${named} does not serve: ${driverMessage(error)}`, { final: true, cause: error })
  })
  if (hosts.length === 0) {
    throw new WayRefused(`${named} has no node in the data centre ${localDataCenter}: known is ${known}.`, {
      final: true,
    })
  }
  if (asked !== undefined && hosts.length < asked) {
    const count = hosts.length === 1 ? '1 node' : `${hosts.length} nodes`
    throw new WayRefused(`${named} has ${count} in ${localDataCenter}, and ${asked} were asked for.`)
  }
  return {
    way: 'given',
    description: `Cassandra ${version} (contact points ${named})`,
    localDataCenter,
    nodes: hosts.map((host) => ({ host, pid: undefined, running: true, process: undefined })),
    died: () => undefined,
    end: async () => {},
  }

  async function look(): Promise<{
    hosts: string[]
    localDataCenter: string
    version: string
    known: string
  }> {
    const probing = probeCassandra(contactPoints, clientOptions)
    const silent = `no answer to CQL from ${named}`
    const client = await withinTime(timeoutMs, silent, probing, signal).catch((error: unknown) => {
      void probing.then(closeCassandra, () => {})
      throw error
    })
    try {
      const query = client.execute('SELECT data_center, release_version FROM system.local')
      const row = (await withinTime(timeoutMs, silent, query, signal)).first()
      const localDataCenter = request.localDataCenter ?? String(row.get('data_center'))
      const found = client.hosts.values()
      const all = found.filter(({ datacenter }) => datacenter === localDataCenter)
      const hosts = all.map(({ address }) => address).toSorted()
      const known = [...new Set(found.map(({ datacenter }) => datacenter))].join(', ')
      return { hosts, localDataCenter, version: String(row.get('release_version')), known }
    } finally {
      await closeCassandra(client)
    }
  }
}

/** `host:port` and `host`, separated by commas. */
export function contactPointsOf(environment: NodeJS.ProcessEnv): string[] {
  const points = (environment[variable] ?? '').split(',').map((point) => point.trim())
  return points.filter((point) => point !== '')
}
