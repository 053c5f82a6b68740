import { EngineError } from '../../../shared/errors.ts'

/** Marks a column that sets no member. It is skipped and named in the report. */
export const DROPPED = 'dropped'

/** Defines the columns of a published table by name. */
export interface TableLayout {
  /** The layout's name in reports. */
  readonly name: string
  readonly columns: Readonly<Record<string, unknown>>
}

export interface Recognised<Layout> {
  readonly layout: Layout
  /** Columns that set members, with their 0-based positions. */
  readonly used: readonly (readonly [name: string, place: number])[]
  /** Columns that set no member. */
  readonly dropped: readonly string[]
}

/**
 * Finds the layout that matches a header. The header must have all columns that the layout uses, and no column
 * that only other layouts use. The order of columns does not matter.
 * @throws EngineError `bad_input`, naming the known layouts
 */
export function recogniseLayout<Layout extends TableLayout>(
  header: readonly string[],
  layouts: readonly Layout[],
): Recognised<Layout> {
  const meant = new Set(layouts.flatMap(usedNames))
  const given = new Set(header)
  const layout = layouts.find((one) => {
    const names = usedNames(one)
    const isWhole = names.every((name) => given.has(name))
    return isWhole && header.every((name) => names.includes(name) || !meant.has(name))
  })
  if (!layout) return refuse(header, layouts)
  const names = usedNames(layout)
  return {
    layout,
    used: names.map((name) => [name, header.indexOf(name)] as const),
    dropped: [...given].filter((name) => !names.includes(name)),
  }
}

function usedNames({ columns }: TableLayout): string[] {
  return Object.keys(columns).filter((name) => columns[name] !== DROPPED)
}

const SHOWN_CHARACTERS = 200

function refuse(header: readonly string[], layouts: readonly TableLayout[]): never {
  const known = layouts.map((one) => `${one.name} (${usedNames(one).join(', ')})`)
  const shown = header.join(', ').slice(0, SHOWN_CHARACTERS)
  const message = `the columns "${shown}" are those of no known table; known are: ${known.join('; ')}`
  throw new EngineError('bad_input', message, { at: 'line 1' })
}
