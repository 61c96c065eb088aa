import { transactionsOf } from './capabilities.js'
import type { PlainRow } from './codec.js'
import type { CallOptions, Commit, Driver } from './driver.js'
import type { DualTable } from './dual-writes.js'
import { DualSession, followingRows } from './dual-writes-session.js'
import { completeKey } from './fill.js'
import type { PreparedInsert } from './insert-plan.js'
import { deletedKeys, deleteMutation, insertMutations } from './writes.js'

// Single writes to both tables of a pair: each is one commit.

type Given = Readonly<Record<string, unknown>>

export async function insertBoth(
  driver: Driver,
  dual: DualTable,
  prepared: PreparedInsert,
  options: CallOptions,
): Promise<Commit> {
  const { leader, mapping, parent } = dual
  // Of what the client knows, both rows can be told without a look at the database.
  if (!prepared.needsReturning && !parent) {
    const { op, rows } = followingRows(dual, prepared)
    const own = insertMutations(leader, prepared, 'insert')
    return driver.write([...own, ...mapping.mutations(op, rows)], options)
  }
  return transactionsOf(driver)((context) => new DualSession(context).insert(dual, prepared), options)
}

export async function updateBoth(
  driver: Driver,
  dual: DualTable,
  changes: readonly Given[],
  options: CallOptions | undefined,
): Promise<Commit> {
  const { commitTimestamp, value } = await transactionsOf(driver)(
    (context) => new DualSession(context).update(dual, changes),
    options,
  )
  dual.leader.skew?.keys('writes', value)
  return { commitTimestamp }
}

export function upsertBoth(
  driver: Driver,
  dual: DualTable,
  prepared: PreparedInsert,
  options: CallOptions | undefined,
): Promise<Commit> {
  return transactionsOf(driver)((context) => new DualSession(context).upsert(dual, prepared), options)
}

export async function deleteBoth(
  driver: Driver,
  dual: DualTable,
  keys: readonly Given[],
  options: CallOptions | undefined,
): Promise<Commit> {
  const { leader, follower, mapping } = dual
  const seen = (complete: readonly PlainRow[]): void => leader.skew?.keys('writes', complete)
  if (mapping.keyIsEnough) {
    const complete = keys.map((key) => completeKey(leader.layout, key))
    seen(complete)
    const followers = complete.map((key) => mapping.key(key))
    return driver.write([deleteMutation(leader, complete), deletedKeys(follower.layout, followers)], options)
  }
  const { commitTimestamp, value } = await transactionsOf(driver)(
    (context) => new DualSession(context).delete(dual, keys),
    options,
  )
  seen(value)
  return { commitTimestamp }
}
