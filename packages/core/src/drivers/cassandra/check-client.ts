import type { Client } from 'cassandra-driver'
import { IsothermError } from '../../errors.js'

/** What the client was made with, as far as it matters here; its typings leave some of it out. */
interface ClientSettings {
  readonly localDataCenter?: string
  readonly encoding?: { readonly useBigIntAsLong?: boolean; readonly map?: unknown; readonly set?: unknown }
  readonly policies?: { readonly loadBalancing?: { getOptions?(): ReadonlyMap<string, unknown> } }
}

/**
 * Refuses a client that would read something else than was written, or would not find its way: what it was made with cannot
 * be changed afterwards.
 *
 * @throws {IsothermError} `INVALID_VALUE` naming the option.
 */
export function checkClient(client: Client): void {
  const { options: settings } = client as unknown as { readonly options?: ClientSettings }
  if (typeof settings !== 'object' || typeof client.execute !== 'function') {
    throw new IsothermError('INVALID_VALUE', 'What was given is no client of cassandra-driver.', {
      fix: "Give cassandra(new Client({ … }), { target: 'cassandra' }), the Client of cassandra-driver.",
    })
  }
  const { encoding = {} } = settings
  if (encoding.useBigIntAsLong !== true) {
    throw refused('reads 64-bit integers as objects of its own', 'encoding: { useBigIntAsLong: true }')
  }
  if (encoding.map !== undefined && encoding.map !== Map) {
    throw refused('reads maps into a class that is not Map', 'encoding: { map: Map }')
  }
  if (encoding.set !== undefined && encoding.set !== Set) {
    throw refused('reads sets into a class that is not Set', 'encoding: { set: Set }')
  }
  if (typeof client.keyspace !== 'string' || client.keyspace === '') {
    throw refused('has no keyspace, and the tables of a model are in one', "keyspace: 'blog'")
  }
  if (wantsDataCenter(settings)) {
    throw refused('does not know which data centre is its own', "localDataCenter: 'datacenter1'")
  }
}

const OPTIONS: ReadonlySet<string> = new Set(['target', 'deadline', 'ddlDeadline', 'consistency', 'costs'])

/**
 * Refuses options that say nothing here: whoever writes one means something by it.
 *
 * @throws {IsothermError} `INVALID_VALUE` naming the option.
 */
export function checkOptions(options: object | undefined): void {
  if (typeof options !== 'object') {
    throw new IsothermError('INVALID_VALUE', 'Whose CQL it is has not been said.', {
      fix: "Give cassandra(client, { target: 'cassandra' }), or 'keyspaces'.",
    })
  }
  for (const [name, value] of Object.entries(options)) {
    if (!OPTIONS.has(name)) {
      throw new IsothermError('INVALID_VALUE', `The driver has no option ${JSON.stringify(name)}.`, {
        fix: `Its options are ${[...OPTIONS].join(', ')}.`,
      })
    }
    if (name.toLowerCase().endsWith('deadline') && !isDuration(value)) {
      throw new IsothermError('INVALID_VALUE', `${name} is ${String(value)}.`, {
        fix: 'Give milliseconds, above 0.',
      })
    }
    if (name === 'consistency' && value !== undefined) checkConsistencyOption(value)
  }
}

const CALLS: readonly string[] = ['read', 'write', 'serial']

/** Which levels a target has for reads and writes is checked where it is known. */
function checkConsistencyOption(value: unknown): void {
  if (typeof value !== 'object' || value === null) {
    throw new IsothermError('INVALID_VALUE', `consistency is ${JSON.stringify(value)}.`, {
      fix: "Give an object: { read: 'local-one' }.",
    })
  }
  const unknown = Object.keys(value).find((name) => !CALLS.includes(name))
  if (unknown !== undefined) {
    throw new IsothermError('INVALID_VALUE', `consistency has no ${JSON.stringify(unknown)}.`, {
      fix: `It has ${CALLS.join(', ')}.`,
    })
  }
  const { serial } = value as { readonly serial?: unknown }
  if (serial === undefined || serial === 'serial' || serial === 'local-serial') return
  throw new IsothermError('INVALID_VALUE', `consistency.serial is ${JSON.stringify(serial)}.`, {
    fix: "Give 'serial' or 'local-serial'.",
  })
}

function isDuration(value: unknown): boolean {
  return value === undefined || (typeof value === 'number' && value > 0)
}

/** Some policies do without one, and some have one of their own. */
function wantsDataCenter({ localDataCenter, policies }: ClientSettings): boolean {
  if (localDataCenter !== undefined) return false
  const options = policies?.loadBalancing?.getOptions?.()
  return options?.has('localDataCenter') === true && (options.get('localDataCenter') ?? '') === ''
}

function refused(what: string, option: string): IsothermError {
  return new IsothermError('INVALID_VALUE', `The client ${what}.`, {
    fix: `Make it with new Client({ …, ${option} }).`,
  })
}
