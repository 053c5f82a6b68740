import type { GraphDialect } from './dialect.ts'
import type { GraphType, ValueKind } from './model.ts'
import { columnOf } from './sources.ts'
import { every, NEVER, type Sql, some, sql, verbatim } from './sql.ts'

const PROPERTIES = verbatim('e.properties')

/**
 * Returns the condition that a property of a row `e` has one of these values. A list property must contain all
 * of them. The condition is never true for a property that the type lacks.
 */
export function propertyCondition(
  type: GraphType,
  name: string,
  values: readonly unknown[],
  dialect: GraphDialect,
): Sql {
  const kind = type.properties.get(name)
  if (kind === undefined) return NEVER
  const texts = values.flatMap((value) => (value === null ? [] : String(value)))
  if (kind === 'texts') {
    if (texts.length < values.length) return NEVER
    return every([dialect.holdsAll(PROPERTIES, name, texts)])
  }
  const value = propertyValue(type, name, kind, dialect)
  if (kind === 'text') return dialect.among(value, texts)
  if (kind === 'number') {
    const numbers = values.map((one) => (typeof one === 'string' ? Number(one) : one))
    return dialect.amongNumbers(value, numbers.filter((one) => Number.isFinite(one)) as number[])
  }
  return some(
    [true, false]
      .filter((one) => texts.includes(String(one)))
      .map((one) => sql`${value} = ${verbatim(one ? '1' : '0')}`),
  )
}

/** Returns the SQL value of a property of a row `e`, for comparing or sorting. */
export function propertyValue(
  type: GraphType,
  name: string,
  kind: ValueKind | undefined,
  dialect: GraphDialect,
): Sql {
  const column = columnOf(type, name)
  if (column !== undefined) return verbatim(`e.${column}`)
  if (kind === 'number') return dialect.number(PROPERTIES, name)
  if (kind === 'boolean') return dialect.boolean(PROPERTIES, name)
  return dialect.text(PROPERTIES, name)
}
