import {
  type EngineLint,
  redundantIndex,
  unevenShard,
  unsupportedFeature,
  unusedSuppression,
} from '@isotherm/core/tools'

/**
 * The rules of one PostgreSQL, which has no hotspots: what it does not have, and what is of no use. A project lints against the
 * dialect of its production, whatever it develops on.
 */
export const postgresqlLint: EngineLint = {
  engine: 'postgresql',
  rules: [unevenShard, redundantIndex, unsupportedFeature, unusedSuppression],
}
