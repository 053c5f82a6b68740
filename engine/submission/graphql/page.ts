import { EngineError } from '../../shared/errors.ts'
import type { Arguments } from './conditions.ts'
import type { Page } from './related-rows.ts'
import { type Sql, sql, verbatim } from './sql.ts'

/**
 * Returns the page of a list.
 * @throws EngineError `bad_input` for negative numbers
 */
export function pageOf(given: Arguments): Page {
  return { first: countIn(given, 'first'), offset: countIn(given, 'offset') }
}

function countIn(given: Arguments, name: string): number {
  const count = Number(given[name] ?? 0)
  if (count >= 0) return count
  throw new EngineError('bad_input', `${name} is ${count}; give 0 or more`)
}

/** Returns the LIMIT clause of a page. */
export function limitTo({ first, offset }: Page): Sql {
  const limit = first === 0 ? Number.MAX_SAFE_INTEGER : first
  if (offset > 0) return sql`LIMIT ${limit} OFFSET ${offset}`
  return first === 0 ? verbatim('') : sql`LIMIT ${limit}`
}

/** Returns how many of a total are on a page. */
export function countOn({ first, offset }: Page, total: number): number {
  const left = Math.max(0, total - offset)
  return first === 0 ? left : Math.min(first, left)
}
