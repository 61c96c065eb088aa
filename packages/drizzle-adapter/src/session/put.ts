/** Gives an object a property, whatever it is called: `__proto__` is no usual name. */
export function put(row: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__') {
    Object.defineProperty(row, name, { value, enumerable: true, writable: true, configurable: true })
  } else {
    row[name] = value
  }
}
