import { EngineError } from '../../shared/errors.ts'
import { isObject } from '../../shared/input/unknowns.ts'
import type { NumberRange } from '../query/query.ts'
import { withDecimal } from './counts.ts'
import { SEARCH_GRAPH_LIMITS } from './limits.ts'

/** Distinct ranges to count, by ascending end (portal.md 4.4). */
interface RequestedRanges {
  readonly ranges: readonly NumberRange[]
  /** Keys such as `0.0-3653.0`, with `*` for an open end. */
  readonly keys: readonly string[]
}

const FORM = '{"op":"range","content":[{"ranges":[{"from":0,"to":3653}]}]}'

/**
 * Reads the argument `ranges`: an object or its JSON text.
 * @throws EngineError bad_input naming the place, for another form or too many ranges
 */
export function readRanges(given: unknown): RequestedRanges {
  const value: unknown = typeof given === 'string' ? parsed(given) : given
  const content = isObject(value) ? value.content : undefined
  const groups: readonly unknown[] = Array.isArray(content) ? content : [content]
  const all = groups.flatMap((group, i) => {
    const list = isObject(group) ? group.ranges : undefined
    if (Array.isArray(list))
      return list.map((one, n) => readRange(one, `ranges.content[${i}].ranges[${n}]`))
    throw wrong(`ranges.content[${i}] has no list of ranges; give ${FORM}`)
  })
  const byKey = new Map(all.map((range) => [keyOf(range), range]))
  if (byKey.size > SEARCH_GRAPH_LIMITS.ranges) {
    throw wrong(`ranges are more than ${SEARCH_GRAPH_LIMITS.ranges}, which is the limit`)
  }
  const sorted = [...byKey].sort(([, a], [, b]) => startOf(a) - startOf(b) || endOf(a) - endOf(b))
  return { ranges: sorted.map(([, range]) => range), keys: sorted.map(([key]) => key) }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw wrong(`ranges is no JSON; give ${FORM}`)
  }
}

function readRange(value: unknown, at: string): NumberRange {
  const end = (name: 'from' | 'to') => {
    const given = isObject(value) ? (value[name] ?? undefined) : undefined
    if (given === undefined) return {}
    const number = typeof given === 'string' && given.trim() !== '' ? Number(given) : given
    if (typeof number === 'number' && Number.isFinite(number)) return { [name]: number }
    throw wrong(`${at}.${name} must be a number`)
  }
  const range: NumberRange = { ...end('from'), ...end('to') }
  if (Object.keys(range).length > 0) return range
  throw wrong(`${at} must be an object with from or to`)
}

const keyOf = ({ from, to }: NumberRange) =>
  `${from === undefined ? '*' : withDecimal(from)}-${to === undefined ? '*' : withDecimal(to)}`
const startOf = ({ from = Number.NEGATIVE_INFINITY }: NumberRange) => from
const endOf = ({ to = Number.POSITIVE_INFINITY }: NumberRange) => to

const wrong = (message: string) => new EngineError('bad_input', message, { at: 'ranges' })
