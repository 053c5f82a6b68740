import type { Value } from '../../shared/database/values.ts'

/** Fragment of SQL, with the values of its placeholders. */
export interface Sql {
  readonly text: string
  readonly values: readonly Value[]
}

/**
 * Creates a fragment of SQL. Interpolated values become parameters; fragments are inserted.
 * @example sql`e.id = ${id} AND ${condition}`
 */
export function sql(texts: TemplateStringsArray, ...parts: readonly (Sql | Value)[]): Sql {
  let text = texts[0] ?? ''
  const values: Value[] = []
  for (const [i, part] of parts.entries()) {
    if (isFragment(part)) {
      text += part.text
      for (const value of part.values) values.push(value)
    } else {
      text += '?'
      values.push(part)
    }
    text += texts[i + 1] ?? ''
  }
  return { text, values }
}

function isFragment(part: Sql | Value): part is Sql {
  return typeof part === 'object' && part !== null && 'text' in part
}

/** Creates a fragment from literal SQL. It must not contain anything from a caller. */
export function verbatim(text: string): Sql {
  return { text, values: [] }
}

export function joined(parts: readonly Sql[], between: string): Sql {
  return {
    text: parts.map(({ text }) => text).join(between),
    values: parts.flatMap(({ values }) => values),
  }
}

export const ALWAYS = verbatim('TRUE')
export const NEVER = verbatim('FALSE')

/** Combines conditions with AND. */
export function every(conditions: readonly Sql[]): Sql {
  if (conditions.length === 0) return ALWAYS
  return balanced(conditions.map(bracketed), ' AND ')
}

/** Combines conditions with OR. */
export function some(conditions: readonly Sql[]): Sql {
  if (conditions.length === 0) return NEVER
  return sql`(${balanced(conditions.map(bracketed), ' OR ')})`
}

/** Joins conditions as a balanced tree, because databases parse a flat list as deeply nested. */
function balanced(parts: readonly Sql[], between: string): Sql {
  if (parts.length <= JOINED_AT_ONCE) return joined(parts, between)
  const middle = parts.length >> 1
  const halves = [parts.slice(0, middle), parts.slice(middle)]
  return joined(
    halves.map((half) => bracketed(balanced(half, between))),
    between,
  )
}

const JOINED_AT_ONCE = 16

function bracketed({ text, values }: Sql): Sql {
  return { text: `(${text})`, values }
}
