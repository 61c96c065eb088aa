import { compileDdl, defineSchema } from '@isotherm/core'
import { sequenceTable } from '@isotherm/core/sequences'

/** The table of sequences, and nothing beside it. */
export const counted = defineSchema([sequenceTable()])

export const countedDdl = compileDdl(counted, { dialect: 'cql' })
