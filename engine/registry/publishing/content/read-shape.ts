import { EngineError } from '../../../shared/errors.ts'
import {
  type Reader,
  readList,
  readMembers,
  readNumber,
  readOneOf,
  readText,
} from '../../../shared/input/json-members.ts'
import type { ObjectShape, Shape } from './shape.ts'

type Members = Readonly<Record<string, unknown>>

/** Creates a reader for values of a shape. Values are frozen, unknown members dropped, and null is absent. */
function readerOf(shape: Shape): Reader<unknown> {
  switch (shape.is) {
    case 'text': {
      const { form } = shape
      if (!form) return readText
      return (value, at) => {
        const text = readText(value, at)
        return form.pattern.test(text) ? text : refuse(at, `not accepted; give ${form.wanted}`)
      }
    }
    case 'whole': {
      const { from, to } = shape
      return (value, at) => {
        const number = readNumber(value, at)
        return number >= from && number <= to ? number : refuse(at, `not from ${from} to ${to}`)
      }
    }
    case 'word':
      return readOneOf(shape.words)
    case 'list':
      return readList(readerOf(shape.of))
    case 'object':
      return objectReader(shape)
  }
}

/** Creates a reader for objects of a shape. */
export function objectReader({ members, needed, ordered }: ObjectShape): Reader<Members> {
  const readers = Object.entries(members).map(([name, shape]) => [name, readerOf(shape)] as const)
  const isNeeded = ([name]: readonly [string, unknown]) => needed.includes(name)
  const read = readMembers<Members>(
    Object.fromEntries(readers.filter(isNeeded)),
    Object.fromEntries(readers.filter((reader) => !isNeeded(reader))),
  )
  if (!ordered) return read
  const [from, to] = ordered
  return (value, at) => {
    const object = read(value, at)
    if (isBeyond(object[from], object[to])) {
      refuse(`${at}.${from}`, `beyond "${to}"; give one that is not`)
    }
    return object
  }
}

function isBeyond(from: unknown, to: unknown): boolean {
  if (typeof from === 'string' && typeof to === 'string') return from > to
  return typeof from === 'number' && typeof to === 'number' && from > to
}

function refuse(at: string, why: string): never {
  throw new EngineError('bad_input', `"${at}" is ${why}`, { at })
}
