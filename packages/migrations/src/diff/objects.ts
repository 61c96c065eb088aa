import { known } from '@isotherm/core/engine'
import { type ChangeStream, counterChanges } from '@isotherm/core/tools'
import { folded, matched } from '../names.js'
import type { PhysicalSchema } from '../physical-schema.js'
import type { DiffContext } from './context.js'

function namespacesOf({ namespaces }: PhysicalSchema): { readonly name: string }[] {
  return namespaces.map((name) => ({ name }))
}

export function diffNamespaces(context: DiffContext, from: PhysicalSchema, to: PhysicalSchema): void {
  const { gone, added } = matched(namespacesOf(from), namespacesOf(to))
  for (const { name } of added) context.change('namespaces', { kind: 'create-namespace', name })
  for (const { name } of gone) context.change('drop-namespaces', { kind: 'drop-namespace', name })
}

/** Source: https://cloud.google.com/spanner/docs/reference/standard-sql/data-definition-language#alter-sequence */
export function diffSequences(context: DiffContext, from: PhysicalSchema, to: PhysicalSchema): void {
  const { both, gone, added } = matched(from.sequences, to.sequences)
  for (const sequence of added) context.change('sequences', { kind: 'create-sequence', sequence })
  for (const { name } of gone)
    context.change('drop-sequences', { kind: 'drop-sequence', name, dataLoss: true })
  for (const { from: old, to: sequence } of both) {
    if (Object.keys(counterChanges(old, sequence)).length === 0) continue
    if (old.skipRange && !sequence.skipRange && !context.sql.ddlSyntax.alter.dropsSkipRange) {
      context.refuse({
        kind: 'sequence',
        table: sequence.name,
        message: `skips ${old.skipRange.join(' to ')}, and skipRange cannot be removed.`,
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
    context.change('drop-change-streams', { kind: 'drop-change-stream', name, dataLoss: true })
  for (const { from: old, to: stream } of both) {
    const watch = watchText(old) !== watchText(stream)
    const options = changedOptions(old, stream)
    if (watch || Object.keys(options).length > 0)
      context.change('change-streams', {
        kind: 'alter-change-stream',
        stream,
        watch,
        options,
        ...(retention(stream) < retention(old) && { dataLoss: true }),
      })
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
const RETENTION = '86400s'

const DEFAULTS: ReadonlyMap<string, string> = new Map([
  ['retention_period', RETENTION],
  ['value_capture_type', 'OLD_AND_NEW_VALUES'],
])

const SECONDS: ReadonlyMap<string, number> = new Map([
  ['s', 1],
  ['m', 60],
  ['h', 3_600],
  ['d', 86_400],
])

/**
 * For how many seconds records can be read. Records that are older than a new, shorter time are lost.
 *
 * Source: https://cloud.google.com/spanner/docs/change-streams/manage#modify-data-retention-period
 */
function retention(stream: ChangeStream): number {
  return Number.parseInt(settled(stream).get('retention_period') ?? RETENTION, 10)
}

/** The options that say something else than the default, durations in seconds. */
function settled({ options }: ChangeStream): ReadonlyMap<string, string> {
  const values = Object.entries(options).map(([name, value]): [string, string] => {
    const [, count, unit = ''] = /^(\d+)([smhd])$/.exec(value) ?? []
    return [name, count === undefined ? value : `${Number(count) * known(SECONDS, unit)}s`]
  })
  return new Map(values.filter(([name, value]) => value !== (DEFAULTS.get(name) ?? 'false')))
}
