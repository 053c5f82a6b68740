import { EngineError } from '../../../shared/errors.ts'

/** A column that no member is made of: it is left out, and the report names it. */
export const DROPPED = 'dropped'

/** What the columns of a published table are, by their names. */
export interface TableLayout {
  /** What a report calls it. */
  readonly name: string
  readonly columns: Readonly<Record<string, unknown>>
}

export interface Recognised<Layout> {
  readonly layout: Layout
  /** Columns that members are made of, and where they are, from 0. */
  readonly used: readonly (readonly [name: string, place: number])[]
  /** Columns that nothing is made of. */
  readonly dropped: readonly string[]
}

/**
 * The layout of a header: it has all columns that members of it are made of, and none that only
 * members of others are made of. The order does not matter.
 * @throws EngineError bad_input naming the layouts that are known
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
