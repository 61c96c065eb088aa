import { bitReversedId } from './bit-reversed-id.js'
import { bool } from './bool.js'
import { bytes } from './bytes.js'
import { customType } from './custom.js'
import { date } from './date.js'
import { descTimestamp } from './desc-timestamp.js'
import { float32 } from './float32.js'
import { float64 } from './float64.js'
import { hashKey } from './hash-key.js'
import { int64 } from './int64.js'
import { json } from './json.js'
import { numeric } from './numeric.js'
import { parentKey } from './parent-key.js'
import { sequential } from './sequential.js'
import { shardKey } from './shard-key.js'
import { string } from './string.js'
import { timestamp } from './timestamp.js'
import { uuid } from './uuid.js'
import { uuidV4 } from './uuid-v4.js'

/** What `spannerTable('User', (t) => …)` is given. */
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
