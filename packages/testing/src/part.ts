import type { CostProfile, Database, Dialect, Schema, UuidStorage } from '@isotherm/core'
import type { Capabilities, Capability } from './engine.js'

/** A database of its own for one part of the suite, with the tables of a schema. */
export interface TestDatabase<Handle = unknown> {
  readonly db: Database
  /** As the engine's client has it. */
  readonly handle: Handle
  /** The same database, through a driver that claims other costs. */
  withCosts(costs: Partial<CostProfile>): Database
  /** Deletes all rows of a table. */
  empty(table: string): Promise<void>
  /** The same database, through a connection of its own: another process, for all that the two know of each other. */
  another(): Promise<OwnConnection>
}

export interface OwnConnection {
  readonly db: Database
  close(): Promise<void>
}

/** What an engine has, as tests ask for it: each capability, and the figures. */
export interface Traits extends Readonly<Record<Capability, boolean>>, Required<Omit<Capabilities, 'has'>> {
  /** Options of writes to rows that are new, or there: a check of each would take a commit each. */
  readonly unchecked: { readonly allowMultipleCommits: true; readonly conditional?: false }
  /** Who can compute the shard of a row. */
  readonly computedBy: readonly ('database' | 'client')[]
  /** As what UUIDs can be stored. */
  readonly uuidStorages: readonly UuidStorage[]
}

/**
 * An engine as tests see it.
 *
 * @typeParam Handle what the engine's client calls a database
 */
export interface SuiteEngine<Handle = unknown> {
  /** For titles. */
  readonly name: string
  readonly dialect: Dialect
  readonly traits: Traits
  /** Makes a database with the tables of a schema. */
  database(schema: Schema): Promise<TestDatabase<Handle>>
}

/** Chooses some of many cases that differ little, at least `min` of them, the same each time. */
export type Sample = <Case>(cases: readonly Case[], min: number) => readonly Case[]

/** The engine that a part of the suite runs on. */
export interface TestedEngine extends SuiteEngine {
  /** All cases, or some if the caller of `testEngine()` asked for a sample. */
  readonly sample: Sample
  /** Registers tests where the engine has what they need. Elsewhere they are left out, and reported. */
  when(needed: Capability | readonly Capability[], what: string, tests: () => void | Promise<void>): void
}

/** A part of the suite: what it is about, what it needs, and its tests. */
export interface Part {
  readonly needs: readonly Capability[]
  tests(engine: TestedEngine): void | Promise<void>
}

/** @param needs what an engine needs for any test of the part */
export function part(needs: readonly Capability[], tests: Part['tests']): Part {
  return { needs, tests }
}
