import { entityKind, View, type ColumnsSelection } from 'drizzle-orm'

/** What queries need to know of a view. */
export abstract class SpannerViewBase<
  TName extends string = string,
  TExisting extends boolean = boolean,
  TSelectedFields extends ColumnsSelection = ColumnsSelection,
> extends View<TName, TExisting, TSelectedFields> {
  static override readonly [entityKind]: string = 'SpannerViewBase'
  declare readonly _: View<TName, TExisting, TSelectedFields>['_'] & { readonly viewBrand: 'SpannerViewBase' }
}

/** A view whose columns are its properties too. */
export type SpannerViewWithSelection<
  TName extends string = string,
  TExisting extends boolean = boolean,
  TSelectedFields extends ColumnsSelection = ColumnsSelection,
> = SpannerViewBase<TName, TExisting, TSelectedFields> & TSelectedFields
