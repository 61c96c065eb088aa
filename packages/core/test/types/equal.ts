/** Whether two types are the same, in each direction and in what is optional or readonly. */
export type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

/** Compiles where its argument is `true` only. */
export type Expect<Condition extends true> = Condition
