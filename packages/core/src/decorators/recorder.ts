import './metadata.js'
import { RECORDED_BY, type RecordedBy } from '../copies.js'
import { readable } from '../model/carried.js'
import { merged, type ColumnDefinition, type ColumnPatch } from '../model/column.js'
import type { OptionMistake } from '../options.js'
import type { IndexOptions } from '../model/secondary-index.js'

/** What the decorators of one class have recorded so far. */
interface Recording extends RecordedBy {
  /** In the order of their declaration. */
  readonly columns: ColumnDefinition[]
  readonly indexes: IndexOptions[]
}

/**
 * Under this property a class's metadata object (standard decorators) or prototype (legacy decorators) carries its
 * recording. From the global registry: a base class may come from a library with a copy of this package of its own.
 */
const RECORDING = Symbol.for('isotherm.recording')

type ClassType = abstract new (...args: never[]) => object

/** @param owner the class or the property that is decorated, for messages */
export function recordingOf(identity: object, owner: string): Recording {
  const known = ownRecording(identity)
  if (known) return readable(known, owner)
  const recording: Recording = { ...RECORDED_BY, columns: [], indexes: [] }
  Object.defineProperty(identity, RECORDING, { value: recording })
  return recording
}

function ownRecording(identity: object): Recording | undefined {
  return Object.getOwnPropertyDescriptor(identity, RECORDING)?.value as Recording | undefined
}

export function recordColumn(identity: object, property: string, patch: ColumnPatch): void {
  const { columns } = recordingOf(identity, `The class of ${property}`)
  const at = columns.findIndex((column) => column.property === property)
  const known = columns[at]
  const isTwice = known?.type !== undefined && patch.type !== undefined
  const mistakes = [...(patch.mistakes ?? []), ...(isTwice ? [TWICE] : [])]
  const definition = { ...patch, property, ...(mistakes.length > 0 && { mistakes }) }
  columns.splice(at < 0 ? columns.length : at, 1, merged(known, definition))
}

/** A class that extends another may declare a column of that one anew; one class may not. */
const TWICE: OptionMistake = {
  path: 'type',
  message: 'has two decorators that say its type.',
  fix: 'Keep one of them: @Key() beside @Column.string(), but @UuidV4() alone.',
}

/**
 * What the decorators of a class and of the classes that it extends have recorded, the base first. Each class may be
 * compiled in another mode of decorators, and decorated by another copy of this package.
 *
 * @param identity the class's own, which a compiler may put on another class than the decorated one
 * @throws {IsothermError} `SCHEMA_INVALID` naming a class that another version of this package has recorded in a format
 * that this one cannot read.
 */
export function inheritedRecording(
  target: ClassType,
  identity: object,
): Pick<Recording, 'columns' | 'indexes'> {
  const columns = new Map<string, ColumnDefinition>()
  const indexes: IndexOptions[] = []
  for (const [recording, owner] of recordingsOf(target, identity)) {
    const own = readable(recording, owner)
    for (const definition of own.columns)
      columns.set(definition.property, merged(columns.get(definition.property), definition))
    for (const index of own.indexes) indexes.push(index)
  }
  return { columns: [...columns.values()], indexes }
}

/** The recordings of a class and its bases, the base first, each with the name of its class. */
function recordingsOf(target: ClassType, identity: object): ReadonlyMap<Recording, string> {
  const found = new Map<Recording, string>()
  const gather = (object: object, owner: string): void => {
    for (const each of lineageOf(object)) {
      const recording = ownRecording(each)
      if (recording && !found.has(recording)) found.set(recording, owner)
    }
  }
  for (const each of lineageOf(target)) {
    const { name, prototype } = each as { readonly name: string; readonly prototype?: unknown }
    for (const metadata of metadataOf(each)) gather(metadata, name)
    if (typeof prototype === 'object' && prototype !== null) gather(prototype, name)
  }
  gather(identity, target.name)
  return found
}

/** An object and its prototypes, the last first. */
function lineageOf(object: object): readonly object[] {
  const above = Object.getPrototypeOf(object) as object | null
  return above ? [...lineageOf(above), object] : [object]
}

/**
 * The metadata objects of a class. Compilers and polyfills do not agree on the symbol, and it may have changed since the class
 * was made: each symbol of the class is looked at.
 */
function metadataOf(type: object): readonly object[] {
  return Object.getOwnPropertySymbols(type).flatMap((symbol) => {
    const value: unknown = Object.getOwnPropertyDescriptor(type, symbol)?.value
    return typeof value === 'object' && value !== null ? [value] : []
  })
}
