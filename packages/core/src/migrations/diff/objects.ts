import { counterChanges } from '../../dialects/ddl/counter-changes.js'
import type { ChangeStream } from '../../model/schema.js'
import { folded, matched } from '../names.js'
import type { PhysicalSchema } from '../physical-schema.js'
import type { DiffContext } from './context.js'

export function diffNamespaces(context: DiffContext, from: PhysicalSchema, to: PhysicalSchema): void {
  const [old, now] = [from, to].map(({ namespaces }) => namespaces.map((name) => ({ name })))
  const { gone, added } = matched(old!, now!)
  for (const { name } of added) context.change('namespaces', { kind: 'create-namespace', name })
  for (const { name } of gone) context.change('drop-namespaces', { kind: 'drop-namespace', name })
}

/** Source: https://cloud.google.com/spanner/docs/reference/standard-sql/data-definition-language#alter-sequence */
export function diffSequences(context: DiffContext, from: PhysicalSchema, to: PhysicalSchema): void {
  const { both, gone, added } = matched(from.sequences, to.sequences)
  for (const sequence of added) context.change('sequences', { kind: 'create-sequence', sequence })
  for (const { name } of gone)
    context.change('drop-sequences', { kind: 'drop-sequence', name, destructive: true })
  for (const { from: old, to: sequence } of both) {
    if (Object.keys(counterChanges(old, sequence)).length === 0) continue
    if (old.skipRange && !sequence.skipRange && !context.sql.ddlSyntax.alter.dropsSkipRange) {
      context.refuse({
        kind: 'sequence',
        table: sequence.name,
        message: `passes over ${old.skipRange.join(' to ')}, and cannot be told to pass over nothing.`,
        fix: 'Keep its skipRange, or give it another one.',
      })
    } else context.change('sequences', { kind: 'alter-sequence', from: old, to: sequence })
  }
}

/** Source: https://cloud.google.com/spanner/docs/change-streams/manage#modify */
export function diffChangeStreams(context: DiffContext, from: PhysicalSchema, to: PhysicalSchema): void {
  const { both, gone, added } = matched(from.changeStreams, to.changeStreams)
  for (const stream of added)
    context.change('create-change-streams', { kind: 'create-change-stream', stream })
  for (const { name } of gone)
    context.change('drop-change-streams', { kind: 'drop-change-stream', name, destructive: true })
  for (const { from: old, to: stream } of both) {
    const watch = watchText(old) !== watchText(stream)
    const options = changedOptions(old, stream)
    if (watch || Object.keys(options).length > 0)
      context.change('change-streams', { kind: 'alter-change-stream', stream, watch, options })
  }
}

function watchText({ watch }: ChangeStream): string {
  if (watch === 'all') return watch
  const tables = watch.map(({ table, columns }) =>
    JSON.stringify([folded(table), columns === 'all' ? columns : sorted(columns.map(folded))]),
  )
  return sorted(tables).join()
}

function sorted(texts: readonly string[]): string[] {
  return texts.toSorted((a, b) => (a < b ? -1 : 1))
}

function changedOptions(from: ChangeStream, to: ChangeStream): Record<string, string | null> {
  const [before, after] = [settled(from), settled(to)]
  const names = new Set([...before.keys(), ...after.keys()])
  return Object.fromEntries(
    [...names].flatMap((name) =>
      before.get(name) === after.get(name) ? [] : [[name, to.options[name] ?? null]],
    ),
  )
}

/** Source: https://cloud.google.com/spanner/docs/reference/standard-sql/data-definition-language#create_change_stream */
const DEFAULTS: Readonly<Record<string, string>> = {
  retention_period: '86400s',
  value_capture_type: 'OLD_AND_NEW_VALUES',
}

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 }

/** The options that say something else than the default, durations in seconds. */
function settled({ options }: ChangeStream): ReadonlyMap<string, string> {
  const values = Object.entries(options).map(([name, value]): [string, string] => {
    const [, count, unit] = /^(\d+)([smhd])$/.exec(value) ?? []
    return [name, count === undefined ? value : `${Number(count) * SECONDS[unit!]!}s`]
  })
  return new Map(values.filter(([name, value]) => value !== (DEFAULTS[name] ?? 'false')))
}
