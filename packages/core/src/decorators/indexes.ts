import type { IndexOptions } from '../model/secondary-index.js'
import { identityOf, type ClassDecorator } from './table.js'
import { recordingOf } from './recorder.js'

/**
 * A secondary index. Stands on the class, above or below `@Table`.
 *
 * @example
 * \@Table('Order')
 * \@Index({ on: ['customerId', { property: 'orderedAt', order: 'desc' }], storing: ['total'] })
 * class Order { … }
 */
export function Index<const Property extends string>(
  options: IndexOptions<Property>,
): ClassDecorator<Property> {
  return (target, context) => {
    recordingOf(identityOf('Index', target, context)).indexes.unshift(options)
  }
}
