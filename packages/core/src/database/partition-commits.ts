import pLimit from 'p-limit'
import { IsothermError } from '../errors.js'
import type { TableLayout } from '../dialects/layout.js'
import type { Wire } from '../dialects/wire.js'
import type { PlainRow } from './codec.js'
import type { Mutation } from './driver.js'
import { StaticValues } from './static-values.js'

// Where a commit is one partition: which rows go together, and what becomes of many commits side by side.

/** How many commits of one call wait for their answers at once. */
const IN_FLIGHT = 64

/** A mutation, and for each of its rows the place among the rows that were given. */
export interface Placed {
  readonly mutation: Mutation
  readonly places: readonly number[]
}

export interface PartitionCommit {
  readonly mutations: readonly Mutation[]
  /** Of its rows among those that were given. */
  readonly places: readonly number[]
}

export interface CommitsOf {
  readonly layout: TableLayout
  /** How many rows of one partition a commit takes. */
  readonly most: number
  /** Whether inserts fail on rows that are there, and updates on those that are not: such a commit is a single row. */
  readonly check: boolean
}

/**
 * The commits that rows take: rows of one partition go together, those that depend on what is there go alone.
 *
 * @throws {IsothermError} `INVALID_VALUE` for two writes of one row, or of one static column of a partition, of which nobody
 * could say which one stays.
 */
export function partitionCommits(
  placed: readonly Placed[],
  { layout, most, check }: CommitsOf,
): readonly PartitionCommit[] {
  const commits: OpenCommit[] = []
  const open = new Map<string, OpenCommit>()
  const written = new Map<string, number>()
  const statics = new StaticValues(layout)
  for (const { mutation, places } of placed) {
    const keyPlaces = placesOfKey(layout, mutation)
    const partitionPlaces = keyPlaces.slice(0, layout.partition)
    const clusteringPlaces = keyPlaces.slice(partitionPlaces.length)
    const isAlone = dependsOnRow(mutation, check)
    // Two deletes leave the same, and of two inserts that are checked the database refuses the second.
    const isOnce = mutation.op !== 'delete' && !(mutation.op === 'insert' && isAlone)
    const noteStatics = statics.of(mutation)
    const rows = mutation.op === 'delete' ? mutation.keys : mutation.rows
    rows.forEach((row, at) => {
      const place = places[at]!
      const partition = textOf(row, partitionPlaces)
      if (isOnce) refuseTwice(layout, written, partition + textOf(row, clusteringPlaces), place)
      noteStatics?.(row, partition, place)
      let commit = isAlone ? undefined : open.get(partition)
      if (!commit || commit.places.length >= most) {
        commit = new OpenCommit()
        commits.push(commit)
        if (!isAlone) open.set(partition, commit)
      }
      commit.add(mutation, row, place)
    })
  }
  return commits
}

/** How many partitions rows lie in. */
export function partitionsOf(placed: readonly Placed[], layout: TableLayout): number {
  const partitions = new Set<string>()
  for (const { mutation } of placed) {
    const partitionPlaces = placesOfKey(layout, mutation).slice(0, layout.partition)
    const rows = mutation.op === 'delete' ? mutation.keys : mutation.rows
    for (const row of rows) partitions.add(textOf(row, partitionPlaces))
  }
  return partitions.size
}

/** Whether each of its rows is written under a condition. */
export function dependsOnRow(mutation: Mutation, check: boolean): boolean {
  return check && (mutation.op === 'update' || (mutation.op === 'insert' && mutation.fresh !== true))
}

class OpenCommit implements PartitionCommit {
  readonly mutations: Mutation[] = []
  readonly places: number[] = []
  #last: { readonly of: Mutation; readonly rows: (readonly Wire[])[] } | undefined

  add(mutation: Mutation, row: readonly Wire[], place: number): void {
    this.places.push(place)
    if (this.#last?.of === mutation) {
      this.#last.rows.push(row)
      return
    }
    const rows = [row]
    this.#last = { of: mutation, rows }
    this.mutations.push(mutation.op === 'delete' ? { ...mutation, keys: rows } : { ...mutation, rows })
  }
}

function placesOfKey({ key }: TableLayout, mutation: Mutation): readonly number[] {
  return key.map(({ column }, at) => (mutation.op === 'delete' ? at : mutation.columns.indexOf(column.name)))
}

/** Values of a row as text: to tell keys apart, and to find those that are alike. */
function textOf(row: readonly Wire[], places: readonly number[]): string {
  return JSON.stringify(places.map((place) => row[place]!))
}

/** Cells that are written at one moment stay as the larger of their values, whichever was meant to come last. */
function refuseTwice({ table }: TableLayout, written: Map<string, number>, key: string, place: number): void {
  const first = written.get(key)
  if (first === undefined) {
    written.set(key, place)
    return
  }
  throw new IsothermError('INVALID_VALUE', `Rows ${first} and ${place} of ${table.name} have the same key.`, {
    fix: 'Write them one after the other: here neither comes last.',
    table: table.name,
  })
}

/** What became of the commits of one call. */
export interface Outcome {
  /** Places of the rows that are committed, in order. */
  readonly written: readonly number[]
  /** Places of the rows of which nobody knows. */
  readonly unknown: readonly number[]
  /** Why the others are not: an outcome that is unknown before all else. Absent: all of them are. */
  readonly failure?: { readonly error: unknown }
}

/** Runs commits side by side. Once one has failed, no other begins; those that have begun are waited for. */
export async function runCommits<One extends Pick<PartitionCommit, 'places'>>(
  commits: readonly One[],
  run: (commit: One) => Promise<unknown>,
): Promise<Outcome> {
  const throttle = pLimit(IN_FLIGHT)
  const written: number[] = []
  const unknown: number[] = []
  const failures: { readonly error: unknown; readonly isUnknown: boolean }[] = []
  await Promise.all(
    commits.map((commit) =>
      throttle(async () => {
        if (failures.length > 0) return
        try {
          await run(commit)
          written.push(...commit.places)
        } catch (error) {
          const isUnknown = error instanceof IsothermError && error.code === 'OUTCOME_UNKNOWN'
          if (isUnknown) unknown.push(...commit.places)
          failures.push({ error, isUnknown })
        }
      }),
    ),
  )
  const failure = failures.find(({ isUnknown }) => isUnknown) ?? failures[0]
  return { written: written.sort(inOrder), unknown: unknown.sort(inOrder), ...(failure && { failure }) }
}

function inOrder(one: number, other: number): number {
  return one - other
}

/** Rows by their places, for errors. */
export function rowsAt(rows: readonly PlainRow[], places: readonly number[]): PlainRow[] {
  return places.map((place) => rows[place]!)
}
