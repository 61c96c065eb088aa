/** A file that is written for a database. */
export interface ModelFile {
  /** From the folder of the models, with slashes: `sales/order.ts`. */
  readonly path: string
  readonly text: string
}
