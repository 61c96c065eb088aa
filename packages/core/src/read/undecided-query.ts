import { IsothermError } from '../errors.js'
import type { CallOptions } from '../engine/driver.js'
import { Limits } from '../engine/retries.js'
import type { GroupQuery, GroupedFanOut } from './aggregates/groups.js'
import type { FanOutQuery } from './query.js'

/** The names of the methods that read, which return a promise. */
type ReadsOf<Query> = {
  [Name in keyof Query]: Query[Name] extends (...args: never) => Promise<unknown> ? Name : never
}[keyof Query]
type Fields = Record<string, never>
type ReadName =
  | ReadsOf<FanOutQuery<Fields>>
  | ReadsOf<GroupedFanOut<Fields, never>>
  | ReadsOf<GroupQuery<Fields, Fields>>

/** What ends a query: it is read. All other methods give a query that asks for more. The compiler refuses a list that lacks one. */
const READS: Readonly<Record<ReadName, true>> = {
  all: true,
  avg: true,
  count: true,
  countDistinct: true,
  max: true,
  min: true,
  page: true,
  queryPartitions: true,
  sum: true,
}

type Step = readonly [method: string | symbol, args: readonly unknown[]]
type Methods = Readonly<Record<string | symbol, (...args: readonly unknown[]) => unknown>>

/**
 * A query of a database whose dialect is not known yet. Each method is called on a query of the most likely dialect, which
 * refuses mistakes in any dialect; when the query is read, the same calls are made on a query of the database's own
 * dialect.
 *
 * @param begin the query of the right dialect, to which nothing has been added; the call is the query's own
 */
export function undecidedQuery<Query extends object>(
  likely: Query,
  begin: (call: CallOptions) => Promise<object>,
  steps: readonly Step[] = [],
): Query {
  const right = async (): Promise<Methods> => {
    const call = callOf(steps)
    const limits = new Limits(call)
    let query = (await begin(call)) as Methods
    // The question for the dialect took a part of the time.
    const { timeoutMs } = limits.options
    for (const [method, args] of steps) {
      const isCall = method === 'options' && timeoutMs !== undefined
      query = query[method]!(...(isCall ? [{ ...(args[0] as object), timeoutMs }] : args)) as Methods
    }
    return query
  }
  return new Proxy(likely, {
    get(query, name) {
      const member: unknown = Reflect.get(query, name)
      if (typeof member !== 'function' || name === 'constructor') return member
      if (name === 'explain') return refuseExplain
      if (name === Symbol.asyncIterator) return () => rowsOf(right)
      if (Object.hasOwn(READS, name))
        return async (...args: readonly unknown[]) => (await right())[name]!(...args)
      return (...args: readonly unknown[]) =>
        undecidedQuery(member.apply(query, args) as object, begin, [...steps, [name, args]])
    },
  })
}

/** The options that `options` gave for all calls of a query. */
function callOf(steps: readonly Step[]): CallOptions {
  const callOptions = steps
    .filter(([method]) => method === 'options')
    .map(([, [options]]) => options as CallOptions)
  return Object.assign({}, ...callOptions) as CallOptions
}

async function* rowsOf(right: () => Promise<object>): AsyncGenerator<unknown, void, undefined> {
  yield* (await right()) as AsyncIterable<unknown>
}

function refuseExplain(): never {
  throw new IsothermError(
    'INVALID_QUERY',
    'The plan depends on the dialect of the database, which is not known yet.',
    { fix: 'Call await db.ready() first, or give the driver its option dialect.' },
  )
}
