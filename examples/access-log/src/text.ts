// Text for a terminal of a given width.

/** What a client sent must not move the cursor or colour the terminal of whoever reads it. */
export function printable(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '\u00b7')
}

/** At most `width` characters, the last one an ellipsis where some were cut off. */
export function cut(text: string, width: number): string {
  const characters = Array.from(text)
  return characters.length <= width ? text : `${characters.slice(0, Math.max(0, width - 1)).join('')}…`
}

/** Exactly `width` characters. */
export function fit(text: string, width: number): string {
  return cut(text, width).padEnd(width)
}

const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉']

/** A bar of up to `width` characters, exact to an eighth of one. */
export function bar(share: number, width: number): string {
  const eighths = Math.round(share * width * 8)
  return '█'.repeat(Math.floor(eighths / 8)) + EIGHTHS[eighths % 8]
}

export function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`
}

export function count(value: number): string {
  return value.toLocaleString('en')
}

/** A number of things: `1 row`, `2,000 rows`. */
export function counted(value: number, thing: string): string {
  return `${count(value)} ${thing}${value === 1 ? '' : 's'}`
}

export function heading(title: string): string[] {
  return ['', title, '─'.repeat(title.length)]
}

/** Breaks lines at spaces; what follows a break is indented four characters more than the line was. */
export function wrap(text: string, width: number): string[] {
  return text.split('\n').flatMap((line) => {
    const lines: string[] = []
    const indent = `${/^ */.exec(line)![0]}    `
    let rest = line
    while (rest.length > width) {
      const space = rest.lastIndexOf(' ', width)
      const end = space > indent.length ? space : width
      lines.push(rest.slice(0, end))
      rest = indent + rest.slice(end).trimStart()
    }
    return [...lines, rest]
  })
}
