import type { SequentialOptions as Options } from '@isotherm/core'
import { columnBuilders } from '@isotherm/core/adapter'
import type { HasDefault, NotNull } from 'drizzle-orm'
import type { DeclaredColumn } from '../../columns/declared-column.js'
import { SpannerPgColumnBuilder } from './common.js'
import { nameAndOptions, type WithoutName } from '../../columns/name-and-config.js'

export type SequentialOptions = WithoutName<Options>

/**
 * A number for people to read, counted up by a generator of `@isotherm/core/sequences`; filled in where an insert leaves it out.
 *
 * @example
 * invoiceNumber: sequential({ from: inTransaction('invoice') }),
 */
export function sequential(options: SequentialOptions): SequentialBuilder<''>
export function sequential<Name extends string>(
  name: Name,
  options: SequentialOptions,
): SequentialBuilder<Name>
export function sequential(first: string | SequentialOptions, second?: SequentialOptions): unknown {
  const { name, options } = nameAndOptions(first, second)
  const { patch } = columnBuilders.sequential(options)
  return new SpannerPgColumnBuilder(name, 'bigint', 'SpannerSequential', patch).notNull()
}

type SequentialBuilder<Name extends string> = HasDefault<
  NotNull<SpannerPgColumnBuilder<DeclaredColumn<Name, 'bigint', 'SpannerSequential', bigint>>>
>
