import { Column } from '@isotherm/core'

/** A base class with columns that tables share. */
export abstract class Recorded {
  @Column.timestamp() recorded!: Date
  @Column.string({ length: 20, nullable: true }) author!: string | null
}
