import { folded } from '../names.js'
import type { PhysicalSchema } from '../physical-schema.js'
import type { DiffContext } from './context.js'
import { namesIn, namesOf, type OwnedName } from './global-names.js'

/**
 * Everything but columns shares one name space, and changes are made in an order of their own: what comes before another thing
 * has given up its name cannot have that name in the same migration.
 */
export function refuseTakenNames(context: DiffContext, from: PhysicalSchema, to: PhysicalSchema): void {
  const owners = new Map<string, string>()
  const take = ({ name, owner }: OwnedName): void => void owners.set(folded(name), owner)
  namesOf(from).forEach(take)
  for (const change of context.changes) {
    const { given, taken } = namesIn(change, from, to)
    for (const name of given) owners.delete(folded(name))
    for (const each of taken) {
      const owner = owners.get(folded(each.name))
      if (owner === undefined) take(each)
      else {
        context.refuse({
          kind: 'name',
          table: each.name,
          message: `is to be ${each.owner}, and is the name of ${owner} that goes later in the same migration.`,
          fix: 'Give the new thing another name, or let the old one go in a migration of its own before.',
        })
      }
    }
  }
}
