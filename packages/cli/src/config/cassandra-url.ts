import type { CqlTarget } from '@isotherm/core'
import { targetNames } from '../shared-options.js'
import { suggestion } from '../suggest.js'
import type { CassandraAddress } from './config.js'

const SCHEME = 'cassandra://'
const FORM =
  'cassandra://host,host/keyspace?dc=datacenter1, or cassandra:///keyspace?target=keyspaces&region=eu-west-1'
const HOST = /^(?:\[[0-9a-fA-F:]+\]|[\w.-]+)(?::(\d{1,5}))?$/
const HIGHEST_PORT = 65_535
const KEYSPACE = /^\w{1,48}$/

/** What a URL may say behind its question mark. */
const WORDS = ['dc', 'target', 'region', 'tls', 'auth']

/** What a URL says: where the keyspace is, and whose CQL it has. */
export interface CassandraUrl {
  readonly address: CassandraAddress
  readonly target?: CqlTarget
}

/** As it may be printed: without what may be a password. */
export function withoutSecrets(text: string): string {
  return isCassandraUrl(text) ? text.replace(/\/\/[^/@]*@/, '//…@') : text
}

export function isCassandraUrl(text: string): boolean {
  return text.startsWith(SCHEME)
}

/** What is wrong with a URL, as the end of a sentence; undefined if nothing is. */
export function urlProblem(text: string): string | undefined {
  const parsed = parseCassandraUrl(text)
  return typeof parsed === 'string' ? parsed : undefined
}

/**
 * The parts of a URL, or what is wrong with it. `URL` itself takes no list of hosts.
 *
 * @returns text, the end of a sentence, for one that is not right
 */
export function parseCassandraUrl(text: string): CassandraUrl | string {
  const [, hosts, keyspace, query] = /^cassandra:\/\/([^/?#]*)\/([^/?#]*)(?:\?([^#]*))?$/.exec(text) ?? []
  if (hosts === undefined || keyspace === undefined) return `and not of the form ${FORM}.`
  const [, user, points = hosts] = /^([^@]*)@(.*)$/.exec(hosts) ?? []
  if (user?.includes(':')) return 'and holds a password: that is for ISOTHERM_CASSANDRA_PASSWORD.'
  const contactPoints = points === '' ? [] : points.split(',')
  const stray = contactPoints.find((host) => !isHost(host))
  if (stray !== undefined) return `and ${JSON.stringify(stray)} is no host.`
  const name = decoded(user ?? '')
  if (name === undefined) return 'and its user has a % that begins no character: write %25.'
  if (keyspace === '') return `and names no keyspace: ${FORM}.`
  if (!KEYSPACE.test(keyspace))
    return `and ${JSON.stringify(keyspace)} is no keyspace: that has letters, digits and underscores, up to 48.`
  const said = new URLSearchParams(query)
  const unknown = [...said.keys()].find((word) => !WORDS.includes(word))
  if (unknown !== undefined) return `and knows no ${unknown}. ${suggestion(unknown, WORDS)}`
  const vague = [...said.keys()].find((word) => said.getAll(word).length > 1 || said.get(word) === '')
  if (vague !== undefined)
    return said.get(vague) === '' ? `and says nothing behind ${vague}=.` : `and says ${vague} more than once.`
  const [dc, target, region, tls, auth] = WORDS.map((word) => said.get(word) ?? undefined)
  const known = targetNames.find((name) => name === target)
  if (target !== undefined && !known) return `and its target is none of ${targetNames.join(', ')}.`
  if (tls !== undefined && tls !== 'true' && tls !== 'false') return 'and its tls is neither true nor false.'
  if (auth !== undefined && auth !== 'sigv4' && auth !== 'password')
    return 'and its auth is neither sigv4 nor password.'
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
    ...(known && { target: known }),
  }
}

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

/** Whether somebody meant such a URL, and wrote another thing. */
export function meansCassandra(text: string): boolean {
  return /^[\w+:]*cassandra:/i.test(text)
}

export const urlForm = FORM
