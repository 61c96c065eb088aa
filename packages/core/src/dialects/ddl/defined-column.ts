import type { PhysicalColumn } from '../layout.js'

/** A column as its definition spells it: what a database keeps of it, and plain data. */
export type DefinedColumn = Pick<PhysicalColumn, 'name' | 'type' | 'nullable' | 'made' | 'hidden'>
