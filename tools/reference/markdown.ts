/** The line that keeps people from editing what is made. */
export const MADE = 'Made by `npm run docs` from the program itself. Do not edit it.'

/** A text as it can stand in a cell. */
export function cell(text: string): string {
  return text
    .replaceAll('|', '\\|')
    .replaceAll('<', '&lt;')
    .replace(/\s*\n\s*/g, ' ')
}

export function table(names: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [names, names.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`)
  return `${lines.join('\n')}\n`
}
