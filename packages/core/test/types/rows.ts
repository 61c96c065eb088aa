// Compiled, never run: what a row is when it is read, inserted, looked up and changed.
import {
  BitReversedId,
  Column,
  DescTimestamp,
  Key,
  ShardKey,
  Table,
  type Change,
  type Generated,
  type Insert,
  type KeyOf,
  type Row,
} from '@isotherm/core'
import type { PreciseDate } from '@google-cloud/precise-date'
import type { Equal, Expect } from './equal.js'

type Status = 'open' | 'paid' | 'void'

interface Address {
  readonly street: string
}

@Table('Everything')
export class Everything {
  @ShardKey({ shards: 64, of: ['userId'] })
  shardId!: Generated<bigint>

  @DescTimestamp({ default: 'now' })
  lastAccess!: Generated<Date>

  @Key()
  @Column.int64()
  userId!: bigint

  @BitReversedId()
  id!: Generated<bigint>

  @Column.string({ nullable: true })
  page!: string | null

  @Column.string()
  status!: Status

  @Column.string()
  generatedStatus!: Generated<Status>

  @Column.string({ nullable: true })
  generatedOrNull!: Generated<string | null>

  @Column.bool()
  active!: Generated<boolean>

  @Column.timestamp({ nullable: true })
  seenAt!: Date | null

  @Column.json()
  address!: Address

  @Column.array({ kind: 'string', length: 'max' })
  tags!: readonly string[]

  @Column.bytes()
  digest!: Uint8Array

  isOpen(): boolean {
    return this.status === 'open'
  }

  readonly arrow = (): bigint => this.userId
}

interface Plain {
  shardId: bigint
  lastAccess: Date
  userId: bigint
  id: bigint
  page: string | null
  status: Status
  generatedStatus: Status
  generatedOrNull: string | null
  active: boolean
  seenAt: Date | null
  address: Address
  tags: readonly string[]
  digest: Uint8Array
}

interface Read extends Omit<Plain, 'lastAccess' | 'seenAt'> {
  lastAccess: PreciseDate
  seenAt: PreciseDate | null
}

type Optional =
  | 'shardId'
  | 'lastAccess'
  | 'id'
  | 'page'
  | 'generatedStatus'
  | 'generatedOrNull'
  | 'active'
  | 'seenAt'

type Flat<T> = { [Name in keyof T]: T[Name] }

/** An argument for a timestamp may be text. */
type Argument<T> = {
  [Name in keyof T]: T[Name] extends infer Value ? (Value extends Date ? Value | string : Value) : never
}

type GivenPlain = Argument<Plain>

export type Rows = [
  Expect<Equal<Row<Everything>, Flat<Read>>>,
  Expect<
    Equal<Flat<Insert<Everything>>, Flat<Omit<GivenPlain, Optional> & Partial<Pick<GivenPlain, Optional>>>>
  >,
  Expect<Equal<KeyOf<Everything>, Partial<GivenPlain>>>,
  Expect<Equal<Change<Everything>, Partial<GivenPlain>>>,
]

// The mark is assignable: a value that was read can be used where a generated one is declared, and the other way round.
export function roundTrip(row: Row<Everything>): Insert<Everything> & Change<Everything> & KeyOf<Everything> {
  return row
}

export function asPlainValues(everything: Everything): [bigint, Date, string | null, boolean, Status] {
  const { id, lastAccess, generatedOrNull, active, generatedStatus } = everything
  return [id, lastAccess, generatedOrNull, active, generatedStatus]
}
