import type { WireType } from '@isotherm/core/adapter'

/** For a parameter whose value is as it is sent already: `new Param(wire, new WireEncoder(type))`. */
export class WireEncoder {
  readonly type: WireType

  constructor(type: WireType) {
    this.type = type
  }

  encode(value: unknown): unknown {
    return value
  }

  mapToDriverValue(value: unknown): unknown {
    return value
  }
}
