/** Always quoted: `AT`, `HASH` and others are keywords. Names were checked when the schema was made. */
export function quote(name: string): string {
  return `\`${name}\``
}
