import { types, type ClientOptions } from 'cassandra-driver'
import { shown } from '@isotherm/core/engine'
import {
  checkOptions,
  either,
  invalidOption,
  listOf,
  required,
  text,
  wholeNumber,
  type OptionKinds,
} from '@isotherm/core/engine'
import { AWS_CREDENTIALS, sigV4AuthProvider, type SigV4Options } from './sigv4.js'

export interface KeyspacesOptions extends SigV4Options {
  readonly keyspace: string
  /** A host of its own, as of a VPC endpoint. Default: the public one of the region. */
  readonly endpoint?: string
  /** Default: 9142. */
  readonly port?: number
  /** Certificates to trust, as PEM. Default: those that Node trusts, which include Amazon's. */
  readonly ca?: string | readonly string[]
}

const KEYSPACES_OPTIONS: OptionKinds<KeyspacesOptions> = {
  region: required(text("'eu-west-1'")),
  keyspace: required(text("'blog'")),
  credentials: AWS_CREDENTIALS,
  endpoint: text("'cassandra.eu-west-1.amazonaws.com'"),
  port: wholeNumber(1, 65_535),
  ca: either(
    'certificates as PEM: a text, or a list of texts',
    text("'-----BEGIN …'"),
    listOf(text("'-----BEGIN …'")),
  ),
}

const TLS_PORT = 9142
const REGION = /^[a-z]{2}(-[a-z]+)+-\d+$/

/**
 * The options of a client of Amazon Keyspaces: TLS, sign-in with IAM credentials, and the one consistency that writes have.
 *
 * By default, the client does not check certificates: these options make it check them. The certificate is for the name of
 * the endpoint only, and not for the addresses of the nodes behind it.
 *
 * Source: https://docs.aws.amazon.com/keyspaces/latest/devguide/using_nodejs_driver.html
 *
 * @throws {IsothermError} `INVALID_OPTION` for unknown options, and for an invalid region.
 * @example
 * const client = new Client(keyspacesClientOptions({ region: 'eu-west-1', keyspace: 'blog' }))
 * const db = openDatabase({ driver: cassandra(client, { dialect: keyspacesCql }), schema })
 */
export function keyspacesClientOptions(options: KeyspacesOptions): ClientOptions {
  checkOptions('keyspacesClientOptions', KEYSPACES_OPTIONS, options)
  const { region, keyspace, credentials, port = TLS_PORT, ca } = options
  const { endpoint = endpointOf('keyspacesClientOptions', region) } = options
  return {
    contactPoints: [endpoint],
    // The nodes that the client discovers do not have a port of their own.
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

/**
 * The public endpoint of Amazon Keyspaces in a region.
 *
 * Source: https://docs.aws.amazon.com/keyspaces/latest/devguide/programmatic.endpoints.html
 *
 * @throws {IsothermError} `INVALID_OPTION` for an invalid region.
 * @example keyspacesEndpoint('eu-west-1') // 'cassandra.eu-west-1.amazonaws.com'
 */
export function keyspacesEndpoint(region: string): string {
  return endpointOf('keyspacesEndpoint', region)
}

function endpointOf(call: string, region: string): string {
  if (typeof region !== 'string' || !REGION.test(region)) {
    throw invalidOption(call, {
      message: `region is ${shown(region)}, which is not a region of AWS.`,
      fix: "Give its name, such as 'eu-west-1'.",
    })
  }
  return `cassandra.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`
}
