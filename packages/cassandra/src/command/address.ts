import { type AddressSyntax, type NameProblem, type ReadName, nearName, quoted } from '@isotherm/core/command'
import { type CassandraAddress, signInOf } from './sign-in.js'

/** The schemes of URLs, and the dialect of such a keyspace. */
const SCHEMES: Readonly<Record<string, string>> = { cassandra: 'cql', keyspaces: 'keyspaces-cql' }
const FORM = 'cassandra://host,host/keyspace?dc=datacenter1, or keyspaces:///keyspace?region=eu-west-1'
const HOST = /^(?:\[[0-9a-fA-F:]+\]|[\w.-]+)(?::(\d{1,5}))?$/
const HIGHEST_PORT = 65_535
const KEYSPACE = /^\w{1,48}$/
const REGION = /^[a-z]{2}(?:-[a-z]+)+-\d+$/

/** The allowed form of a keyspace's name and of a region: the ends of sentences. */
const KEYSPACE_FORM = 'that has letters, digits and underscores, up to 48'
const REGION_FORM = 'a region of AWS, such as eu-west-1'

/** The parameters of a URL, after its question mark. */
const WORDS = ['dc', 'region', 'tls', 'auth']

const LONGEST = 80

export const addressSyntax: AddressSyntax<CassandraAddress> = {
  form: FORM,
  read(text) {
    if (/^(?:cassandra|keyspaces):\/\//.test(text)) return readUrl(text)
    const scheme = nearScheme(text)
    // The user meant such a URL and mistyped it.
    if (scheme === undefined && !/^[\w+:]*(?:cassandra|keyspaces):/i.test(text)) return undefined
    const meant = scheme === undefined ? '' : ` Did you mean ${scheme}://?`
    return { problem: `and not of the form ${FORM}.${meant}` }
  },
  parts: {
    contactPoints: {
      kind: 'list',
      of: { test: isHost, what: 'a host' },
      empty: 'and has no host. Remove it to use the endpoint of the region.',
    },
    localDataCenter: { kind: 'text' },
    keyspace: {
      kind: 'form',
      required: true,
      form: { test: (text) => KEYSPACE.test(text), what: `a keyspace: ${KEYSPACE_FORM}` },
    },
    port: { kind: 'port' },
    tls: { kind: 'flag' },
    auth: { kind: 'one-of', names: ['sigv4', 'password'] },
    user: { kind: 'text' },
    region: { kind: 'form', form: { test: (text) => REGION.test(text), what: REGION_FORM } },
    password: {
      kind: 'refused',
      why: 'Do not write a password into a file: set ISOTHERM_CASSANDRA_USER and ISOTHERM_CASSANDRA_PASSWORD.',
    },
  },
  check(address, dialect, environment) {
    signInOf(address, dialect === 'keyspaces-cql', environment)
  },
}

/** The parts of a URL. `URL` itself takes no list of hosts. */
function readUrl(text: string): ReadName<CassandraAddress> | NameProblem {
  const [, scheme, hosts, keyspace, query] =
    /^(cassandra|keyspaces):\/\/([^/?#]*)\/([^/?#]*)(?:\?([^#]*))?$/.exec(text) ?? []
  if (scheme === undefined || hosts === undefined || keyspace === undefined)
    return wrong(`and not of the form ${FORM}.`)
  const [, user, points = hosts] = /^([^@]*)@(.*)$/.exec(hosts) ?? []
  if (user?.includes(':')) return wrong('and contains a password: set ISOTHERM_CASSANDRA_PASSWORD instead.')
  const contactPoints = points === '' ? [] : points.split(',')
  const stray = contactPoints.find((host) => !isHost(host))
  if (stray !== undefined) return wrong(`and ${short(stray)} is not a host.`)
  const name = decoded(user ?? '')
  if (name === undefined) return wrong('and its user has a % without two hexadecimal digits: write %25.')
  if (keyspace === '') return wrong(`and has no keyspace: ${FORM}.`)
  if (!KEYSPACE.test(keyspace)) return wrong(`and ${short(keyspace)} is not a keyspace: ${KEYSPACE_FORM}.`)
  const said = new URLSearchParams(query)
  const unknown = [...said.keys()].find((word) => !WORDS.includes(word))
  if (unknown !== undefined) return wrong(`and has the unknown parameter ${unknown}. ${meantOf(unknown)}`)
  const vague = [...said.keys()].find((word) => said.getAll(word).length > 1 || said.get(word) === '')
  if (vague !== undefined)
    return wrong(
      said.get(vague) === '' ? `and has no value for ${vague}=.` : `and has ${vague} more than once.`,
    )
  const [dc, region, tls, auth] = WORDS.map((word) => said.get(word) ?? undefined)
  if (region !== undefined && !REGION.test(region))
    return wrong(`and its region ${short(region)} is not ${REGION_FORM}.`)
  if (tls !== undefined && tls !== 'true' && tls !== 'false')
    return wrong('and its tls is neither true nor false.')
  if (auth !== undefined && auth !== 'sigv4' && auth !== 'password')
    return wrong('and its auth is neither sigv4 nor password.')
  return {
    address: {
      keyspace,
      ...(contactPoints.length > 0 && { contactPoints }),
      ...(name !== '' && { user: name }),
      ...(dc !== undefined && { localDataCenter: dc }),
      ...(region !== undefined && { region }),
      ...(tls !== undefined && { tls: tls === 'true' }),
      ...(auth !== undefined && { auth }),
    },
    dialect: SCHEMES[scheme]!,
  }
}

function wrong(problem: string): NameProblem {
  return { problem }
}

function short(text: string): string {
  return quoted(text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text)
}

function meantOf(word: string): string {
  const meant = nearName(word, WORDS)
  return meant === undefined ? `Known are ${WORDS.join(', ')}.` : `Did you mean ${meant}?`
}

/** Whether it is `host` or `host:port`. */
function isHost(text: string): boolean {
  const [whole, port] = HOST.exec(text) ?? []
  return whole !== undefined && (port === undefined || (Number(port) > 0 && Number(port) <= HIGHEST_PORT))
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** The scheme that was probably meant, where another one is written. */
function nearScheme(text: string): string | undefined {
  const [, scheme] = /^([a-z][\w+.-]*):\//i.exec(text) ?? []
  const meant = scheme === undefined ? undefined : nearName(scheme, Object.keys(SCHEMES))
  return meant === scheme ? undefined : meant
}
