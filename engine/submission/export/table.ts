import { isDeepStrictEqual } from 'node:util'
import type { EntityType } from '../dictionary/entity-type.ts'
import type { Property } from '../dictionary/property.ts'
import { LIST_SEPARATOR, typedCell } from '../transactions/typed-cell.ts'
import { type ExportedEntity, type ExportLayout, valueIn } from './exported.ts'

interface TableColumn {
  readonly name: string
  readonly cell: (entity: ExportedEntity) => string
}

/** Formats entities as lines of a table that can be submitted again (submission.md 8 and 12). */
export class ExportTable {
  readonly #columns: readonly TableColumn[]
  readonly #separator: string
  readonly #isQuoted: RegExp

  /**
   * @param most maximum number of parents per entity, keyed by link. Each parent has its own columns, which
   * are numbered if there are several.
   */
  constructor(
    type: EntityType,
    layout: ExportLayout,
    { most, separator }: { readonly most: ReadonlyMap<string, number>; readonly separator: string },
  ) {
    this.#columns = columnsOf(type, layout, most)
    this.#separator = separator
    this.#isQuoted = new RegExp(`[${separator}"\r\n]`)
  }

  header(): string {
    return this.#line(this.#columns.map(({ name }) => name))
  }

  row(entity: ExportedEntity): string {
    return this.#line(this.#columns.map(({ cell }) => cell(entity)))
  }

  /** Formats a line as Python's csv module does. */
  #line(cells: readonly string[]): string {
    const quoted = cells.map((cell) =>
      this.#isQuoted.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell,
    )
    return `${quoted.join(this.#separator)}\r\n`
  }
}

function columnsOf(
  { properties }: EntityType,
  { columns, hasIds }: ExportLayout,
  most: ReadonlyMap<string, number>,
): readonly TableColumn[] {
  const own = columns
    .filter(({ keys }) => !keys)
    .map(({ name }): TableColumn => {
      const property = name === 'type' ? undefined : properties.get(name)
      const isName = name === 'submitter_id'
      return {
        name,
        cell: (entity) => {
          const value = valueIn(entity, name)
          return isName ? nameCell(value, hasIds) : valueCell(value, property)
        },
      }
    })
  const links = columns.flatMap(({ name, keys }) => {
    const [key] = keys ?? []
    return key === undefined ? [] : linkColumns(name, key, most.get(name) ?? 0, hasIds)
  })
  const [type, ...others] = own
  const id: TableColumn = { name: 'id', cell: (entity) => entity.id }
  return [...(type ? [type] : []), ...(hasIds ? [id] : []), ...others, ...links]
}

function linkColumns(link: string, key: string, most: number, hasIds: boolean): TableColumn[] {
  const numbers = Array.from({ length: Math.max(most, 1) }, (_, i) => i)
  const hasId = hasIds || key === 'id'
  return numbers.flatMap((i) => {
    const number = most > 1 ? `#${i + 1}` : ''
    const parentOf = ({ parents }: ExportedEntity) => parents.get(link)?.[i]
    const id = {
      name: `${link}.id${number}`,
      cell: (one: ExportedEntity) => parentOf(one)?.id ?? '',
    }
    const name = {
      name: `${link}.${key}${number}`,
      cell: (one: ExportedEntity) => nameCell(parentOf(one)?.name, hasId),
    }
    return [...(hasId ? [id] : []), ...(key === 'id' ? [] : [name])]
  })
}

/** Returns the cell with a parent's name. It may be empty: the id in the next column identifies the parent. */
function nameCell(name: unknown, hasId: boolean): string {
  if (typeof name !== 'string') return ''
  const isRead = typedCell(name.trim(), undefined) === name
  return isRead || !hasId ? name : ''
}

/**
 * Returns a text that parses to the value. If no text does, as for the text `null`, the cell is empty, which
 * leaves the value unchanged when the table is submitted again. White space around a text is lost.
 */
function valueCell(value: unknown, property: Property | undefined): string {
  if (value === undefined || value === null) return ''
  const text = Array.isArray(value) ? value.map(plain).join(LIST_SEPARATOR) : plain(value)
  return isDeepStrictEqual(typedCell(text.trim(), property), stripped(value)) ? text : ''
}

function stripped(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(stripped)
  return typeof value === 'string' ? value.trim() : value
}

const plain = (value: unknown) =>
  typeof value === 'object' ? JSON.stringify(value) : String(value)
