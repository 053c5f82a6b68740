import type { Role } from '../../../shared/access/roles.ts'
import {
  type Area,
  type IndexedContent,
  OUTPUT_TYPES,
  type OutputType,
  type RecordContent,
  type RecordDefinition,
} from '../definition.ts'
import { type Member, type Members, shapeOfMembers } from './members.ts'
import { objectReader } from './read-shape.ts'
import type { ObjectShape, Shape } from './shape.ts'

interface Records<Content> {
  readonly area: Area
  readonly editor: Role
  /** As the interface calls it (registry.md 3). */
  readonly name: string
  readonly members: Members
  /** Throws EngineError bad_input for members that do not go together. */
  readonly check?: (content: Content) => void
}

/** A definition that follows from its members, and their shape for the API document. */
export interface MemberDefinition<Content extends RecordContent> extends RecordDefinition<Content> {
  readonly shape: ObjectShape
  /**
   * Reads a body that is no record of its own, in which any member may be left out.
   * @throws EngineError bad_input naming the member
   */
  readonly parsePart: (body: unknown) => Partial<Content>
}

/** What is given of an area to those who only describe and ask it. */
export type PublishingDefinition = Pick<
  MemberDefinition<RecordContent>,
  'area' | 'editor' | 'filters' | 'orders' | 'shape'
>

type Values = Readonly<Record<string, unknown>>

/** The definition of an area that its members make. */
export function defineRecords<Content extends RecordContent>(
  records: Records<Content>,
): MemberDefinition<Content> {
  const { area, editor, name, members, check } = records
  const entries = Object.entries(members)
  const shape = shapeOfMembers(name, members)
  const read = objectReader(shape)
  const readPart = objectReader({ ...shape, needed: [] })
  const given = (content: Content) => givenMembers(entries, content)
  return Object.freeze({
    ...{ area, editor, shape },
    filters: Object.fromEntries(
      entries.flatMap(([name, { filters, shape }]) => (filters ? [[name, wordsOf(shape)]] : [])),
    ),
    orders: entries.flatMap(([name, { orders }]) => (orders ? [name] : [])),
    parse(body: unknown) {
      const content = withoutEmptyLists(read(unaliased(entries, body), '')) as unknown as Content
      check?.(content)
      return content
    },
    parsePart: (body: unknown) =>
      withoutEmptyLists(readPart(unaliased(entries, body), '')) as Partial<Content>,
    indexed: (content: Content) => indexed(given(content)),
    project(content: Content, output: OutputType) {
      const most = OUTPUT_TYPES.indexOf(output)
      const shown = given(content).filter(([, , { shown }]) => OUTPUT_TYPES.indexOf(shown) <= most)
      return Object.fromEntries(shown) as Partial<Content>
    },
    glossaryTexts: (content: Content) =>
      given(content).flatMap(([, value, { explained }]) => (explained ? textsIn(value) : [])),
  })
}

/** The body with members under their own names. */
function unaliased(entries: readonly (readonly [string, Member])[], body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
  const values = body as Values
  const renamed = entries.flatMap(([name, { alias }]) =>
    alias !== undefined && Object.hasOwn(values, alias) && !Object.hasOwn(values, name)
      ? [[name, values[alias]]]
      : [],
  )
  return renamed.length === 0 ? body : { ...values, ...Object.fromEntries(renamed) }
}

type Given = readonly [name: string, value: unknown, member: Member]

function givenMembers(entries: readonly (readonly [string, Member])[], content: object): Given[] {
  const values = content as Values
  return entries.flatMap(([name, member]): Given[] => {
    const value = values[name]
    return value === undefined ? [] : [[name, value, member]]
  })
}

function indexed(given: readonly Given[]): IndexedContent {
  const filters: Record<string, readonly string[]> = {}
  const orders: Record<string, string> = {}
  for (const [name, value, member] of given) {
    if (member.filters) filters[name] = textsIn(value)
    if (member.orders) orders[name] = String(value)
  }
  const texts = given.flatMap(([, value, { weight }]) =>
    weight === undefined ? [] : textsIn(value).map((text) => ({ text, weight })),
  )
  return { texts, filters, orders }
}

/** The words that a filter takes; undefined where it takes any. */
function wordsOf(shape: Shape): readonly string[] | undefined {
  if (shape.is === 'list') return wordsOf(shape.of)
  return shape.is === 'word' ? shape.words : undefined
}

/** Answers leave out what is empty (registry.md 1.4), so it is not stored either. */
function withoutEmptyLists(values: Values): Values {
  const isEmpty = (value: unknown) => Array.isArray(value) && value.length === 0
  const filled = Object.entries(values).filter(([, value]) => !isEmpty(value))
  return Object.freeze(Object.fromEntries(filled))
}

/** The texts of a value; of what holds for years or days, its `value` alone. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(textsIn)
  if (typeof value !== 'object' || value === null) return []
  return 'value' in value ? textsIn(value.value) : Object.values(value).flatMap(textsIn)
}
