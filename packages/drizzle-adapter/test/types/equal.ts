/** `true` only for two types that are the same, down to `readonly` and optional marks. */
export type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

export function expectType<_Holds extends true>(): void {}
