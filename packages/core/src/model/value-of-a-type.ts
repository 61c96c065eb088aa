/** Shown by the compiler where such a type is called, constructed or used as a decorator. */
export interface OnlyAType {
  readonly 'this is a type: write it after the colon of a field, as in id!: Generated<string>': never
}

/**
 * The value that is exported beside a type that models and decorated methods name, such as `Generated`. Compilers that see one
 * file at a time cannot tell that it is a type: if they write the types of decorated members into the code, they import it.
 *
 * It is `Object`, since that is what TypeScript's own compiler writes for such a type: what reads `design:type` gets the same
 * from every compiler.
 */
export const valueOfAType = Object as unknown as OnlyAType
