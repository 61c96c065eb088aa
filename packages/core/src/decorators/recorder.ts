import './metadata.js'
import { merged, type ColumnDefinition, type ColumnPatch } from '../model/column.js'
import type { OptionMistake } from '../options.js'
import type { IndexOptions } from '../model/secondary-index.js'

/** What the decorators of one class have recorded so far. */
interface Recording {
  readonly columns: Map<string, ColumnDefinition>
  readonly indexes: IndexOptions[]
}

// Keyed by what identifies a class in either mode: its metadata object (standard) or its prototype (legacy). Both
// inherit from those of the base class, which is how a model gets the columns of an abstract base.
const recordings = new WeakMap<object, Recording>()

export function recordingOf(identity: object): Recording {
  let recording = recordings.get(identity)
  if (!recording) {
    recording = { columns: new Map(), indexes: [] }
    recordings.set(identity, recording)
  }
  return recording
}

export function recordColumn(identity: object, property: string, patch: ColumnPatch): void {
  const { columns } = recordingOf(identity)
  const known = columns.get(property)
  const isTwice = known?.type !== undefined && patch.type !== undefined
  const mistakes = [...(patch.mistakes ?? []), ...(isTwice ? [TWICE] : [])]
  const definition = { ...patch, property, ...(mistakes.length > 0 && { mistakes }) }
  columns.set(property, merged(known, definition))
}

/** A class that extends another may declare a column of that one anew; one class may not. */
const TWICE: OptionMistake = {
  path: 'type',
  message: 'has two decorators that say its type.',
  fix: 'Keep one of them: @Key() beside @Column.string(), but @UuidV4() alone.',
}

/** What the decorators of a class and of the classes that it extends have recorded, the base first. */
export function inheritedRecording(identity: object): Recording {
  const columns = new Map<string, ColumnDefinition>()
  const indexes: IndexOptions[] = []
  const lineage: object[] = []
  for (let at: object | null = identity; at; at = Object.getPrototypeOf(at) as object | null)
    lineage.unshift(at)
  for (const ancestor of lineage) {
    const recording = recordings.get(ancestor)
    if (!recording) continue
    for (const [property, definition] of recording.columns) {
      columns.set(property, merged(columns.get(property), definition))
    }
    for (const index of recording.indexes) indexes.push(index)
  }
  return { columns, indexes }
}
