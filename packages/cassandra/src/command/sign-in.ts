import { CommandError, quoted } from '@isotherm/core/command'

// How a client signs in, by its address and the environment. It loads no client.

/** A keyspace of Cassandra or Keyspaces by its parts. */
export interface CassandraAddress {
  /** `host` or `host:port`, of one node or of several. Keyspaces is found by its region. */
  readonly contactPoints?: readonly string[]
  /** Keyspaces has its region's name. */
  readonly localDataCenter?: string
  readonly keyspace: string
  /** The port of contact points without one. Default: 9042; 9142 with TLS. */
  readonly port?: number
  /** Default: for Keyspaces yes, else no. */
  readonly tls?: boolean
  /**
   * `sigv4`: with the credentials that AWS's own chain finds. `password`: those of the variables ISOTHERM_CASSANDRA_USER and
   * ISOTHERM_CASSANDRA_PASSWORD, and never of a file. Default: `sigv4` for Keyspaces; a password where a variable is set.
   */
  readonly auth?: 'sigv4' | 'password'
  /** Who signs in with a password. ISOTHERM_CASSANDRA_USER goes before it. */
  readonly user?: string
  /** Of AWS: `eu-west-1`. */
  readonly region?: string
}

/** The environment variables with the user and the password, which are never read from a file. */
export const USER = 'ISOTHERM_CASSANDRA_USER'
export const PASSWORD = 'ISOTHERM_CASSANDRA_PASSWORD'

/** The sign-in of an address, before a client is made: it needs no package of the vendor. */
type SignIn =
  | { readonly by: 'sigv4'; readonly region: string }
  | {
      readonly by: 'password'
      /** Or the region of Keyspaces whose public endpoint it is. */
      readonly contactPoints: readonly string[] | { readonly region: string }
      readonly localDataCenter: string
    }

/** How a client signs in. @throws {CommandError} `CONFIG` for missing options, and for options that cannot take effect. */
export function signInOf(
  address: CassandraAddress,
  isAws: boolean,
  environment: Readonly<Record<string, string | undefined>>,
): SignIn {
  const { region } = address
  const hasVariables = Boolean(environment[USER] || environment[PASSWORD])
  const by = address.auth ?? (isAws && !hasVariables ? 'sigv4' : 'password')
  if (by === 'sigv4') {
    if (region === undefined) throw lacking('a region of AWS', "region: 'eu-west-1'", '?region=eu-west-1')
    refuseIneffective(ineffectiveBySigV4(address, region))
    return { by, region }
  }
  refuseIneffective(ineffectiveByPassword(address, isAws))
  const contactPoints = address.contactPoints ?? (isAws && region ? { region } : undefined)
  if (contactPoints === undefined || (Array.isArray(contactPoints) && contactPoints.length === 0))
    throw lacking('a contact point', "contactPoints: ['10.0.0.1']", 'a host behind the slashes')
  const localDataCenter = address.localDataCenter ?? (isAws ? region : undefined)
  if (localDataCenter === undefined)
    throw lacking('a data centre', "localDataCenter: 'datacenter1'", '?dc=datacenter1')
  return { by, contactPoints, localDataCenter }
}

/** An option of an address that cannot take effect together with others: its text, the reason, and what to do. */
interface Ineffective {
  readonly option: string
  readonly why: string
  readonly fix: string
}

function ineffectiveBySigV4(address: CassandraAddress, region: string): readonly Ineffective[] {
  const { user, localDataCenter, tls, contactPoints = [], port } = address
  const [first, ...further] = contactPoints
  const own = first === undefined ? undefined : hostAndPort(first)[1]
  return [
    ...(user === undefined
      ? []
      : [
          {
            option: `user ${quoted(user)}`,
            why: 'SigV4 signs in with the credentials of AWS',
            fix: `Leave the user out; or sign in with a password: auth: 'password' (?auth=password in a URL), and set ${PASSWORD}.`,
          },
        ]),
    ...(localDataCenter === undefined || localDataCenter === region
      ? []
      : [
          {
            option: `localDataCenter ${quoted(localDataCenter)} (dc in a URL)`,
            why: `the data centre of Keyspaces has the name of its region, ${region}`,
            fix: 'Leave it out.',
          },
        ]),
    ...(tls === false ? [{ option: 'tls: false', why: 'SigV4 needs TLS', fix: 'Leave tls out.' }] : []),
    ...(further.length === 0
      ? []
      : [
          {
            option: `contact point ${further.map((each) => quoted(each)).join(', ')}`,
            why: 'SigV4 connects to one endpoint',
            fix: `Give ${quoted(first)} alone, or no contact point for the endpoint of ${region}.`,
          },
        ]),
    ...ineffectivePort(port, own),
  ]
}

function ineffectiveByPassword(address: CassandraAddress, isAws: boolean): readonly Ineffective[] {
  const { region, contactPoints, localDataCenter } = address
  if (region === undefined) return []
  const option = `region ${quoted(region)}`
  if (!isAws) {
    return [
      {
        option,
        why: 'a region is for Keyspaces, but the dialect is cql without SigV4',
        fix: "Leave it out; or set dialect: 'keyspaces-cql' (keyspaces:// in a URL), or auth: 'sigv4'.",
      },
    ]
  }
  if (contactPoints === undefined || localDataCenter === undefined || localDataCenter === region) return []
  return [
    {
      option,
      why: `the contact points are given, and localDataCenter (dc in a URL) is ${quoted(localDataCenter)}`,
      fix: 'Leave localDataCenter or the region out.',
    },
  ]
}

function ineffectivePort(port: number | undefined, own: number | undefined): readonly Ineffective[] {
  if (port === undefined || own === undefined || port === own) return []
  return [{ option: `port ${port}`, why: `the contact point has the port ${own}`, fix: 'Give one of them.' }]
}

/** @throws {CommandError} `CONFIG` that names every option that cannot take effect. */
function refuseIneffective(found: readonly Ineffective[]): void {
  if (found.length === 0) return
  throw new CommandError(
    'CONFIG',
    `The address of the keyspace has ${found.length === 1 ? 'an option' : 'options'} without effect:\n${found
      .map(({ option, why, fix }) => `  - ${option}: ${why}. ${fix}`)
      .join('\n')}`,
  )
}

/** `[::1]:9042` and `10.0.0.1` in two. */
export function hostAndPort(text: string): readonly [host: string, port?: number] {
  const [, host = text, port] = /^(\[[^\]]+\]|[^:]+)(?::(\d+))?$/.exec(text) ?? []
  return port === undefined ? [host] : [host, Number(port)]
}

function lacking(what: string, inConfig: string, inUrl: string): CommandError {
  return new CommandError('CONFIG', `The address of the keyspace lacks ${what}.`, {
    fix: `Set database: { …, ${inConfig} } in the configuration, or in the URL ${inUrl}.`,
  })
}
