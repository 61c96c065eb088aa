/** Where a call reads: in one shard, in one time bucket of it, or, where neither is there, in all of a table. */
export interface Place {
  readonly shard?: number | undefined
  readonly bucket?: string | undefined
}

/** The whole table. */
export const EVERYWHERE: Place = {}

export type PlaceKey = number | string | undefined

/** The same for the same place. */
export function placeKey({ shard, bucket }: Place): PlaceKey {
  return bucket === undefined ? shard : `${bucket}/${shard ?? ''}`
}

/** As the subject of a sentence. */
export function placeText(table: string, { shard, bucket }: Place): string {
  const where = shard === undefined ? table : `Shard ${shard} of ${table}`
  return bucket === undefined ? where : `${where}, in the bucket ${bucket},`
}
