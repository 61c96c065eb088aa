import type { PhysicalColumn } from '../layout.js'
import { ROW_MARKER } from './fold.js'

/** The marker as a column: one that a read asks for, and that a write sets. */
export const ROW_MARKER_COLUMN: PhysicalColumn = {
  name: ROW_MARKER,
  type: { kind: 'bool' },
  nullable: true,
  written: true,
  encode: (value) => value as boolean,
}
