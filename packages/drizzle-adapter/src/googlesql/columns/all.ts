import { bitReversedId, descTimestamp, hashKey, parentKey, sequential, shardKey, uuidV4 } from './keys.js'
import { bool, bytes, date, float32, float64, int64, json, numeric, string, uuid } from './scalars.js'
import { customType } from './custom.js'
import { timestamp } from './timestamp.js'

/** The argument of the callback in `spannerTable('User', (t) => …)`. */
export const columnTypes = {
  bitReversedId,
  bool,
  bytes,
  customType,
  date,
  descTimestamp,
  float32,
  float64,
  hashKey,
  int64,
  json,
  numeric,
  parentKey,
  sequential,
  shardKey,
  string,
  timestamp,
  uuid,
  uuidV4,
}

export type SpannerColumnTypes = typeof columnTypes
