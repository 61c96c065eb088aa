import { types, type ClientOptions } from 'cassandra-driver'
import { IsothermError } from '../../errors.js'
import { sigV4AuthProvider, type SigV4Options } from './sigv4.js'

export interface KeyspacesOptions extends SigV4Options {
  readonly keyspace: string
  /** A host of its own, as of a VPC endpoint. Default: the public one of the region. */
  readonly endpoint?: string
  /** Default: 9142. */
  readonly port?: number
  /** Certificates to trust, as PEM. Default: those that Node trusts, among them Amazon's. */
  readonly ca?: string | readonly string[]
}

const TLS_PORT = 9142
const REGION = /^[a-z]{2}(-[a-z]+)+-\d+$/

/**
 * What a client of Amazon Keyspaces is made with: TLS, sign-in with IAM credentials, and the one consistency that writes have.
 *
 * The client leaves certificates unchecked unless it is told otherwise: here it is told. There is a certificate for the name
 * of the endpoint only, and not for the addresses of the nodes behind it.
 *
 * Source: https://docs.aws.amazon.com/keyspaces/latest/devguide/using_nodejs_driver.html
 *
 * @throws {IsothermError} `INVALID_VALUE` for a region that is none.
 * @example
 * const client = new Client(keyspacesClientOptions({ region: 'eu-west-1', keyspace: 'blog' }))
 * const db = openDatabase({ driver: cassandra(client, { target: 'keyspaces' }), schema })
 */
export function keyspacesClientOptions(options: KeyspacesOptions): ClientOptions {
  const { region, keyspace, credentials, endpoint = endpointOf(region), port = TLS_PORT, ca } = options
  return {
    contactPoints: [endpoint],
    // The nodes that the client hears of have no port of their own.
    protocolOptions: { port },
    // Keyspaces shows a region as one data centre.
    localDataCenter: region,
    keyspace,
    authProvider: sigV4AuthProvider({ region, ...(credentials && { credentials }) }),
    sslOptions: {
      servername: endpoint,
      rejectUnauthorized: true,
      ...(ca !== undefined && { ca: typeof ca === 'string' ? ca : [...ca] }),
    },
    queryOptions: { consistency: types.consistencies.localQuorum },
    encoding: { useBigIntAsLong: true, map: Map, set: Set },
  }
}

function endpointOf(region: string): string {
  if (!REGION.test(region)) {
    throw new IsothermError('INVALID_VALUE', `${JSON.stringify(region)} is no region of AWS.`, {
      fix: "Give its name, as in 'eu-west-1'.",
    })
  }
  return `cassandra.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`
}
