// Compiled in both decorator modes, never run: forms of classes whose public fields are columns.
import { Column, type FieldDecorator, type Generated, Key, ParentKey, Table, UuidV4 } from '@isotherm/core'

type Any = ReturnType<typeof JSON.parse>

type Constructor = new (...args: Any[]) => object

export function timed<Base extends Constructor>(base: Base) {
  class Timed extends base {
    @Column.timestamp()
    at!: Date

    @Column.string({ nullable: true })
    by!: string | null
  }
  return Timed
}

export abstract class Shared<Kind extends string, Document> {
  @UuidV4()
  id!: Generated<string>

  @Key()
  kind!: Kind

  @Column.json()
  document!: Document

  @Column.json()
  documents!: readonly Document[]

  @Column.array({ kind: 'string', length: 'max' })
  kinds!: Kind[]

  @Column.string()
  readonly name!: string

  abstract total(): number
}

@Table('Order')
export class Order extends timed(
  class extends Shared<'order', Date> {
    override total(): number {
      return 1
    }
  },
) {
  @Column.string()
  override toString!: Any

  @Column.string()
  'quoted name' = ''
}

@Table('Node')
export class Node {
  @Key()
  @Column.int64()
  id!: bigint

  @ParentKey()
  parentId!: Node['id']

  @Column.json()
  parent!: Node

  @Column.json()
  part!: Pick<Node, 'id' | 'parent'>

  @Column.string()
  self = Node.make()

  static make(): string {
    return new Node().self
  }
}

/** A decorator by another name, and one that makes another. */
export const Id: FieldDecorator<bigint> = Column.int64()
export const Money = (): FieldDecorator<string> => Column.numeric()

export class Own<Document> {
  #count = 1
  private total = this.#count;

  [name: string]: unknown

  @Key()
  @Id
  id!: bigint

  @Money()
  price!: string

  nested(): object {
    class Nested {
      @Column.json()
      document!: Document
    }
    return [this.total, new Nested()]
  }
}
